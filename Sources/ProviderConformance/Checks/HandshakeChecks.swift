import DocumentModel
import DocumentTransport
import DocumentWire
import ProviderLauncher

/// The preface, the hellos, and what may not travel beside them.
enum HandshakeChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-HELLO-001", .must, "The first bytes on standard output are the preface, and a frame follows",
            rule: .frame("Frame")
        ) { context in
            try await context.withRawEnd { raw in
                try await raw.send(try raw.helloFrame())
                switch try await raw.next(within: context.provider.startLimit) {
                case .frame: break
                case .violation(let violation): throw CheckFailure(violation.message, detail: "\(violation)")
                case .end:
                    throw CheckFailure(
                        ofEnd: "The provider closed its standard output before it had answered the hello.")
                case nil: throw CheckFailure("The provider does not answer the hello.")
                }
            }
        },
        ConformanceCheck(
            "PC-HELLO-002", .must, "The hello is answered with a HelloReply of id 0", rule: .frame("HelloReply")
        ) { context in
            try await context.withRawEnd { raw in _ = try await raw.hello() }
        },
        ConformanceCheck(
            "PC-HELLO-003", .must, "The reply picks a version that was offered", rule: .frame("HelloReply")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello()
                try expect(
                    Manifest.hostProtocolVersions.contains(reply.version),
                    "The reply picks a version that was not offered.", detail: "\(reply)")
            }
        },
        ConformanceCheck(
            "PC-HELLO-004", .must, "Of several versions, known and unknown, the provider picks the one it knows",
            rule: .frame("HelloReply")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello { $0.versions = [4_000_000_000, 1, 77] }
                try expect(reply.version, is: 1, "The provider does not pick the version that both speak.")
            }
        },
        ConformanceCheck(
            "PC-HELLO-005", .must,
            "Without a version in common the reply has the version 0 and the provider's own list",
            rule: .frame("HelloReply")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello { $0.versions = [4_000_000_000] }
                try expect(reply.version, is: 0, "The provider accepts a version that it does not know.")
                try expect(
                    !reply.versions.isEmpty, "The reply without a shared version does not list the provider's own.")
            }
        },
        ConformanceCheck(
            "PC-HELLO-006", .must, "Without a version in common the provider ends by itself with status 0",
            rule: .frame("HelloReply")
        ) { context in
            let outcome = try await context.withRawEnd { raw in
                _ = try await raw.hello { $0.versions = [4_000_000_000] }
                return try await raw.exits(within: .seconds(5))
            }
            try expect(outcome.result, "The provider stays, though no version is shared.")
            try expect(
                outcome.exit.status, is: .exited(0),
                "The provider does not end with status 0 when no version is shared.")
        },
        ConformanceCheck(
            "PC-HELLO-007", .must, "Features that the provider does not know are ignored", rule: .frame("Hello")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello { $0.features = ["no-such-feature", "another"] }
                try expect(reply.version == 1, "The provider refuses a host that offers unknown features.")
                try expect(
                    reply.features.isEmpty, "The provider claims to use a feature that does not exist.",
                    detail: "\(reply.features)")
            }
        },
        ConformanceCheck(
            "PC-HELLO-008", .must, "The limits in the reply are not above the protocol's, and leave room for a frame",
            rule: .frame("Limits")
        ) { context in
            try await context.withRawEnd { raw in
                let limits = try await raw.hello().limits
                try expect(
                    limits.frameBytes == 0 || (4096...4_194_304).contains(limits.frameBytes),
                    "The reply's limit for frames is below 4,096 or above 4,194,304 bytes.", detail: "\(limits)")
            }
        },
        ConformanceCheck(
            "PC-HELLO-009", .must, "The capabilities in the reply are not wider than the manifest's",
            rule: .provider("SessionCapabilities")
        ) { context in
            guard context.provider.hasManifest else {
                throw CheckSkip("There is no manifest: the provider was given as a command.")
            }
            try await context.withSession { session in
                let wider = session.capabilities.capabilities.subtracting(context.manifest.capabilities).sorted()
                try expect(
                    wider.isEmpty, "The provider claims a capability that its manifest does not declare.",
                    detail: wider.map(\.rawValue).joined(separator: ", "))
            }
        },
        ConformanceCheck(
            "PC-HELLO-010", .must, "The reply's context is a SessionCapabilities message",
            rule: .provider("SessionCapabilities")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello()
                do {
                    _ = try SessionCapabilities(serialized: reply.context)
                } catch {
                    throw CheckFailure("The reply's context is no SessionCapabilities message.", detail: "\(error)")
                }
            }
        },
        ConformanceCheck(
            "PC-HELLO-011", .must, "The provider sends nothing but the preface before the hello has come",
            rule: .frame("Frame")
        ) { context in
            try await context.withRawEnd { raw in
                if case .frame(let frame)? = try await raw.next(within: .milliseconds(400)) {
                    throw CheckFailure("The provider sends a frame before the hello.", detail: frame.evidence)
                }
            }
        },
        ConformanceCheck(
            "PC-HELLO-012", .must, "A second hello gets no second reply and kills nobody", rule: .frame("Hello")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                try await raw.send(try raw.helloFrame())
                raw.closeInput()
                let rest = try await raw.rest()
                let isGone = try await raw.exits(within: .seconds(5))
                return (rest: rest, isGone: isGone)
            }
            for case .frame(let frame) in outcome.result.rest {
                if case .helloReply = frame.kind {
                    throw CheckFailure("The provider answers a second hello.", detail: frame.evidence)
                }
            }
            try expect(outcome.result.isGone, "The provider stays after a second hello and the end of its input.")
            try expectNoCrash(outcome.exit, "after a second hello")
        },
        ConformanceCheck(
            "PC-HELLO-013", .must, "A request before the hello is not answered", rule: .frame("Frame")
        ) { context in
            let outcome = try await context.withRawEnd { raw in
                try await raw.ask(1, .identity)
                raw.closeInput()
                let rest = try await raw.rest()
                let isGone = try await raw.exits(within: .seconds(5))
                return (rest: rest, isGone: isGone)
            }
            for case .frame(let frame) in outcome.result.rest {
                if case .answer = frame.kind {
                    throw CheckFailure("The provider answers a request before the hello.", detail: frame.evidence)
                }
            }
            try expect(outcome.result.isGone, "The provider stays after an early request and the end of its input.")
            try expectNoCrash(outcome.exit, "after an early request")
        },
        ConformanceCheck(
            "PC-HELLO-014", .must, "A provider whose host is gone before the hello ends by itself",
            rule: .frame("Shutdown")
        ) { context in
            let outcome = try await context.withRawEnd { raw in
                raw.closeInput()
                return try await raw.exits(within: .seconds(5))
            }
            try expect(outcome.result, "The provider stays though its input has ended before the hello.")
            try expectNoCrash(outcome.exit, "when its input ends before the hello")
        },
        ConformanceCheck(
            "PC-HELLO-015", .must, "A hello that comes byte by byte is a hello", rule: .frame("Frame")
        ) { context in
            try await context.withRawEnd { raw in
                var bytes: [UInt8] = []
                try raw.helloFrame().append(to: &bytes)
                for byte in bytes {
                    try await raw.send([byte])
                    // Else they may well come all at once.
                    try await Task.sleep(for: .milliseconds(1))
                }
                try expectReply(try await raw.frame(within: context.provider.startLimit))
            }
        },
        ConformanceCheck(
            "PC-HELLO-016", .must, "Unknown fields in the hello are ignored", rule: .frame("Frame")
        ) { context in
            try await context.withRawEnd { raw in
                try await raw.send(MessageBytes.withUnknownFields(try raw.helloFrame()).framed)
                try expectReply(try await raw.frame(within: context.provider.startLimit))
            }
        },
        ConformanceCheck(
            "PC-HELLO-017", .must, "A host that says nothing of itself, neither software nor language, is served",
            rule: .frame("Hello")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello {
                    $0.software = ""
                    $0.locale = ""
                    $0.session = ""
                    $0.processID = 0
                }
                try expect(reply.version, is: 1, "The provider refuses a host that says nothing of itself.")
            }
        },
        ConformanceCheck(
            "PC-HELLO-018", .should, "The reply says who is speaking", rule: .frame("HelloReply")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello()
                try expect(!reply.software.isEmpty, "The reply does not say which software the provider is.")
                try expect(!reply.versions.isEmpty, "The reply does not list the versions that the provider speaks.")
            }
        },
        ConformanceCheck(
            "PC-HELLO-019", .must, "A host that takes small frames only gets none that are larger",
            rule: .frame("Limits")
        ) { context in
            let folder = try await context.withSession { try await context.sampleFolder($0) }
            try await context.withRawEnd { raw in
                let reply = try await raw.hello { $0.limits = Frame.Limits(frameBytes: 4096, requests: 1) }
                try expect(reply.version, is: 1, "The provider refuses a host that takes frames of 4,096 bytes.")
                try await raw.ask(1, .enumerate(container: folder, page: nil, suggestedCount: 10_000))
                let frame = try await raw.finalFrame(of: 1)
                try expect(
                    frame.generalBody().count <= 4096, "A frame is larger than the host said it takes.",
                    detail: "\(frame.generalBody().count) bytes")
            }
        },
    ]

    private static func expectReply(_ frame: Frame) throws {
        guard case .helloReply(let reply) = frame.kind, reply.version == 1 else {
            throw CheckFailure("The hello is not answered as it should be.", detail: frame.evidence)
        }
    }
}

/// Fails the check when a process was ended by a signal of its own making.
func expectNoCrash(_ exit: ProcessExit, _ when: String) throws {
    guard case .signalled = exit.status, !exit.wasForced else { return }
    throw CheckFailure("The provider is ended by a signal \(when).", detail: "\(exit.words)\n\(exit.detail)")
}
