import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import Glibc
import ProviderLauncher
import SystemPackage

/// How a provider ends: when it is asked, when its host is gone, when it is told by a signal.
enum EndChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-END-001", .must, "A shutdown is followed by the goodbye, which is the last frame",
            rule: .frame("Shutdown")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(Frame(.shutdown))
                let events = try await raw.rest()
                try expect(events.last == .frame(Frame(.goodbye)), "The last frame is no goodbye.", detail: "\(events)")
                try expect(
                    events.count { $0 == .frame(Frame(.goodbye)) } == 1, "The provider says goodbye more than once.",
                    detail: "\(events)")
            }
        },
        ConformanceCheck(
            "PC-END-002", .must, "After a shutdown the provider ends by itself with status 0", rule: .frame("Shutdown")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                try await raw.send(Frame(.shutdown))
                // What the ladder gives before it signals.
                return try await raw.exits(within: .seconds(2))
            }
            try expect(outcome.result, "The provider is still there two seconds after the shutdown.")
            try expect(outcome.exit.status, is: .exited(0), "After a shutdown the provider's status is not 0.")
        },
        ConformanceCheck(
            "PC-END-003", .must, "A second shutdown is harmless", rule: .frame("Shutdown")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                try await raw.send(Frame(.shutdown), Frame(.shutdown))
                let events = try await raw.rest()
                let hasEnded = try await raw.exits(within: .seconds(2))
                return (events: events, hasEnded: hasEnded)
            }
            try expect(
                outcome.result.events.count { $0 == .frame(Frame(.goodbye)) } == 1,
                "Two shutdowns are not followed by one goodbye.", detail: "\(outcome.result.events)")
            try expect(outcome.result.hasEnded, "The provider is still there after two shutdowns.")
            try expectNoCrash(outcome.exit, "after two shutdowns")
        },
        ConformanceCheck(
            "PC-END-004", .must, "What runs when the shutdown comes is answered before the goodbye",
            rule: .frame("Shutdown")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            try await context.withRawSession { raw in
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                try await raw.ask(1, .startProviding(document.id, stagingPath: file.path.string, contentVersion: []))
                try await raw.ask(3, .item(document.id))
                try await raw.send(Frame(.shutdown))
                let finals = try await raw.rest().compactMap { event -> UInt64? in
                    guard case .frame(let frame) = event else { return nil }
                    switch frame.kind {
                    case .answer, .failure: return frame.id
                    case .goodbye: return 0
                    default: return nil
                    }
                }
                try expect(
                    finals.last == 0 && finals.dropLast().sorted() == [1, 3],
                    "Not every request is answered once before the goodbye.", detail: "\(finals)")
            }
        },
        ConformanceCheck(
            "PC-END-005", .must, "A request after the shutdown is refused, or not answered at all",
            rule: .frame("Shutdown")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(Frame(.shutdown))
                try await raw.ask(1, .identity)
                for case .frame(let frame) in try await raw.rest() where frame.id == 1 {
                    if case .answer = frame.kind {
                        throw CheckFailure("A request after the shutdown is answered.", detail: frame.evidence)
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-END-006", .must, "The end of its input alone ends a provider", rule: .frame("Shutdown")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                raw.closeInput()
                return try await raw.exits(within: .seconds(5))
            }
            try expect(outcome.result, "The provider stays though its input has ended.")
            try expectNoCrash(outcome.exit, "when its input ends")
        },
        ConformanceCheck(
            "PC-END-007", .must, "The end of its input ends a provider that is at work", rule: .frame("Shutdown")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            let outcome = try await context.withRawSession { raw in
                for number in 0..<4 as Range<UInt64> {
                    try await raw.ask(number * 2 + 1, .providePlaceholder(document.id))
                }
                raw.closeInput()
                return try await raw.exits(within: .seconds(5))
            }
            try expect(outcome.result, "The provider stays at work though its host is gone.")
            try expectNoCrash(outcome.exit, "when its input ends while it is at work")
        },
        ConformanceCheck(
            "PC-END-008", .must, "The end of both pipes ends a provider", rule: .frame("Shutdown")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                raw.launched.end.close()
                return try await raw.exits(within: .seconds(5))
            }
            try expect(outcome.result, "The provider stays though both of its pipes are closed.")
        },
        ConformanceCheck(
            "PC-END-009", .must, "SIGTERM ends a provider", rule: .rule("WIRE-51")
        ) { context in
            let outcome = try await context.withRawSession { raw in
                kill(raw.process.processID, SIGTERM)
                return try await raw.exits(within: .seconds(3))
            }
            try expect(outcome.result, "The provider is still there three seconds after SIGTERM.")
        },
        ConformanceCheck(
            "PC-END-010", .must, "A provider that was killed can be started again", rule: .rule("WIRE-54")
        ) { context in
            let before = try await context.withSession { try await $0.item($0.rootID) }
            try await context.withRawSession { raw in
                kill(raw.process.processID, SIGKILL)
                _ = try await raw.exits(within: .seconds(5))
            }
            try await context.withFreshSession { session in
                try expect(
                    try await session.item(session.rootID).id, is: before.id,
                    "A provider that was killed comes back as another.")
            }
        },
        ConformanceCheck(
            "PC-END-011", .should, "A provider leaves no processes of its own behind when it says goodbye",
            rule: .rule("WIRE-45")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.ask(1, .identity)
                try expectAnswer(try await raw.finalFrame(of: 1))
                let id = raw.process.processID
                // With it they may become somebody else's children.
                let before = children(of: id)
                try await raw.send(Frame(.shutdown))
                _ = try await raw.rest()
                func left() -> [Int32] { Set(before + children(of: id)).filter(lives).sorted() }
                let isAlone = try await eventually(within: .seconds(1)) { left().isEmpty }
                try expect(
                    isAlone, "A provider's children are still there after its goodbye.", detail: "\(left())")
            }
        },
        ConformanceCheck(
            "PC-END-012", .must, "Sessions one after the other are all the same", rule: .frame("Hello"),
            limit: .seconds(60)
        ) { context in
            let first = try await context.withFreshSession { try await $0.list($0.rootID) }.result
            for _ in 0..<3 {
                let next = try await context.withFreshSession { try await $0.list($0.rootID) }
                try expect(Set(next.result), is: Set(first), "A later session lists other items.")
                try expect(
                    next.exit.status == .exited(0) && !next.exit.wasForced, "A session does not end in order.",
                    detail: next.exit.words)
            }
        },
    ]

    /// Whether a process still does something: of one that has ended nothing may be left but its number.
    private static func lives(_ process: Int32) -> Bool {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
        // The name, in parentheses, may hold anything.
        let state = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first
        return state != "Z" && state != "X"
    }

    /// The processes that a process has started and that still are.
    private static func children(of process: Int32) -> [Int32] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task -> [Int32] in
            let data = FileManager.default.contents(atPath: "/proc/\(process)/task/\(task)/children") ?? Data()
            return String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
        }
    }
}
