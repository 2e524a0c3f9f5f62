import DocumentModel
import DocumentWire
import Foundation
import ProviderLauncher
import SystemPackage

/// What a provider does with its standard streams.
enum StreamChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-IO-001", .must,
            "From its start to its end a provider writes frames to standard output, and nothing else",
            rule: .frame("Frame")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            try await context.withRawSession { raw in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                let calls: [ProviderCall] = [
                    .identity, .item(document.id), .item(try context.unknownIdentifier()),
                    .enumerate(container: document.parentID ?? .root, page: nil, suggestedCount: 10),
                    .startProviding(document.id, stagingPath: file.path.string, contentVersion: []),
                    .itemChanged(document.id), .stopProviding(document.id), .identifierForPath("no such item"),
                    .pathForIdentifier(document.id),
                ]
                for (number, call) in calls.enumerated() {
                    let id = UInt64(number) * 2 + 1
                    try await raw.ask(id, call)
                    _ = try await raw.finalFrame(of: id)
                }
                try await raw.send(Frame(.shutdown))
                for case .violation(let violation) in try await raw.rest() {
                    throw CheckFailure("Something else than frames is on standard output.", detail: "\(violation)")
                }
            }
        },
        ConformanceCheck(
            "PC-IO-002", .should,
            "What a provider prints by mistake cannot get between its frames: its own standard output is elsewhere",
            rule: .rule("WIRE-50")
        ) { context in
            try await context.withSession { session in
                _ = try await session.identity()
                let process = session.process.processID
                guard let output = link("/proc/\(process)/fd/1"), let errors = link("/proc/\(process)/fd/2") else {
                    throw CheckSkip("The provider's descriptors cannot be looked at.")
                }
                try expect(
                    output == errors || !output.hasPrefix("pipe:"),
                    "The provider's standard output still is the pipe to the host.", detail: "\(output)")
            }
        },
        ConformanceCheck(
            "PC-IO-003", .should,
            "What a provider's children read cannot be the host's frames: its own standard input is elsewhere",
            rule: .rule("WIRE-50")
        ) { context in
            try await context.withSession { session in
                _ = try await session.identity()
                guard let input = link("/proc/\(session.process.processID)/fd/0") else {
                    throw CheckSkip("The provider's descriptors cannot be looked at.")
                }
                try expect(
                    !input.hasPrefix("pipe:"), "The provider's standard input still is the pipe from the host.",
                    detail: input)
            }
        },
        ConformanceCheck(
            "PC-IO-004", .should, "A provider with nothing to do takes no time of the processor", rule: .rule("WIRE-57")
        ) { context in
            try await context.withSession { session in
                _ = try await session.identity()
                try await Task.sleep(for: .milliseconds(200))
                let before = try ticks(session.process.processID)
                try await Task.sleep(for: .milliseconds(800))
                let after = try ticks(session.process.processID)
                try expect(
                    after - before <= 20, "A provider with nothing to do keeps the processor busy.",
                    detail: "\(after - before) of 80 ticks")
            }
        },
    ]

    private static func link(_ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    /// Hundredths of a second that a process has used.
    private static func ticks(_ process: Int32) throws -> Int {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
            throw CheckFailure("The provider ended while nothing was asked.")
        }
        // The name, in parentheses, may hold anything.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw KitError("/proc does not tell how busy the provider is.")
        }
        return user + system
    }
}
