import DocumentModel
import DocumentWire
import ProviderLauncher

/// Who the provider says it is.
enum IdentityChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-IDENT-001", .must, "The identity is the identifier in the manifest", rule: .provider("Identity")
        ) { context in
            guard context.provider.hasManifest else {
                throw CheckSkip("There is no manifest: the provider was given as a command.")
            }
            try await context.withSession { session in
                try expect(
                    try await session.identity().identifier, is: context.manifest.identifier,
                    "The provider says that it is another one than its manifest says.")
            }
        },
        ConformanceCheck(
            "PC-IDENT-002", .must, "The identity is the same each time it is asked for", rule: .provider("Identity")
        ) { context in
            try await context.withSession { session in
                let first = try await session.identity()
                for _ in 0..<3 {
                    let other = try await session.identity()
                    try expect(
                        other.identifier == first.identifier && other.version == first.version,
                        "The provider says something else of itself each time.", detail: "\(first), then \(other)")
                }
            }
        },
    ]
}
