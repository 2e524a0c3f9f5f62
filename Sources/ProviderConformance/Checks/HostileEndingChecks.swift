import DocumentModel
import DocumentTransport
import DocumentWire
import ProviderLauncher

/// Hosts that go, in every way that a host can go. A provider that has lost its host ends by itself.
enum HostileEndingChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "The provider ends when its standard input ends, without a shutdown") { raw, _ in
            raw.closeInput()
            try await raw.expectGone("its standard input ends")
        },
        check("002", .should, "The provider ends within two seconds of the end of its standard input") { raw, _ in
            raw.closeInput()
            try await raw.expectGone("its standard input ends, for longer than two seconds", within: .seconds(2))
        },
        reading("003", .must, "The provider ends when its standard input ends with requests open") {
            raw, document, file in
            for id in [1, 3, 5] as [UInt64] { try await raw.provide(id, document, to: file) }
            raw.closeInput()
            try await raw.expectGone("its standard input ends with requests open")
        },
        check("004", .must, "The provider ends when its host vanishes") { raw, _ in
            raw.launched.pipes.close()
            try await raw.expectGone("its host vanishes")
        },
        reading("005", .must, "The provider ends when its host vanishes with requests open") { raw, document, file in
            for id in [1, 3, 5] as [UInt64] { try await raw.provide(id, document, to: file) }
            raw.launched.pipes.close()
            try await raw.expectGone("its host vanishes with requests open")
        },
        check("006", .must, "The provider ends when its host has stopped reading, and then goes") { raw, root in
            // Far more than a pipe holds.
            for number in 0..<64 {
                let call = ProviderCall.enumerate(container: root, page: nil, suggestedCount: 10_000)
                try await raw.ask(UInt64(2 * number + 1), call)
            }
            try await Task.sleep(for: .milliseconds(200))
            raw.launched.pipes.close()
            try await raw.expectGone("its host has stopped reading and goes")
        },
        check("007", .must, "Shutdown is followed by a goodbye, the end of the stream and exit status 0") { raw, _ in
            try await raw.send(Frame(.shutdown))
            let rest = try await raw.rest(within: .seconds(5))
            try expect(rest.last, is: .frame(Frame(.goodbye)), "The provider's last frame is no goodbye.")
            try await raw.expectGone("it was shut down")
        },
        check("008", .should, "The provider ends within two seconds of a shutdown") { raw, _ in
            try await raw.send(Frame(.shutdown))
            raw.closeInput()
            try await raw.expectGone("it was shut down, for longer than two seconds", within: .seconds(2))
        },
        reading("009", .must, "Requests that are open at a shutdown are answered once each, before the goodbye") {
            raw, document, file in
            let ids: [UInt64] = [1, 3, 5, 7]
            for id in ids { try await raw.provide(id, document, to: file) }
            try await raw.send(Frame(.shutdown))
            let rest = try await raw.rest(within: .seconds(10))
            try expect(finals(rest).sorted(), is: ids, "Not every open request is answered once.")
            try expect(rest.last, is: .frame(Frame(.goodbye)), "The goodbye is not the last frame.")
            try await raw.expectGone("it was shut down with requests open")
        },
        check("010", .must, "A second shutdown does no harm") { raw, _ in
            try await raw.send(Frame(.shutdown), Frame(.shutdown))
            let rest = try await raw.rest(within: .seconds(5))
            try expect(
                rest.count { $0 == .frame(Frame(.goodbye)) }, is: 1, "There is not exactly one goodbye.")
            try await raw.expectGone("it was shut down twice")
        },
        reading("011", .must, "A second shutdown with requests open does no harm") { raw, document, file in
            try await raw.provide(1, document, to: file)
            try await raw.send(Frame(.shutdown))
            try await raw.send(Frame(.shutdown))
            let rest = try await raw.rest(within: .seconds(10))
            try expect(finals(rest), is: [1], "The open request is not answered once.")
            try await raw.expectGone("it was shut down twice with a request open")
        },
        check("012", .must, "A request after the shutdown is not carried out, and does not keep the provider") {
            raw, _ in
            try await raw.send(Frame(.shutdown), HostileHostChecks.request(1, .identity))
            for case .frame(let frame) in try await raw.rest(within: .seconds(5)) {
                if case .answer = frame.kind { throw CheckFailure("A request after the shutdown is answered.") }
            }
            try await raw.expectGone("a request comes after the shutdown")
        },
        check("013", .must, "SIGTERM ends the provider") { raw, _ in
            raw.process.send(15)
            try await raw.expectGone("it gets SIGTERM")
        },
    ]

    private static func finals(_ events: [RawSession.Event]) -> [UInt64] {
        events.compactMap { event in
            guard case .frame(let frame) = event else { return nil }
            switch frame.kind {
            case .answer, .failure: return frame.id
            default: return nil
            }
        }
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession, ItemIdentifier) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-GONE-" + number, level, title, rule: .frame("Shutdown")) { context in
            let exit = try await context.withHostileSession(body).exit
            try CheckFailure.check(exit.status, "its host goes like this")
        }
    }

    /// A check with a document that is being read.
    private static func reading(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession, Item, StagingFile) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-GONE-" + number, level, title, rule: .frame("Shutdown")) { context in
            let document = try await context.documentForHostility()
            let file = try context.folder.newStagingFile()
            defer { file.remove() }
            let exit = try await context.withHostileSession { raw, _ in try await body(raw, document, file) }.exit
            try CheckFailure.check(exit.status, "its host goes like this")
        }
    }
}
