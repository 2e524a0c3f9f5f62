import DocumentModel
import DocumentTransport
import DocumentWire

/// Requests that run side by side.
enum ConcurrencyChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-CONC-001", .must, "As many requests as were agreed on are taken at once, and answered once each",
            rule: .frame("Limits")
        ) { context in
            try await context.withRawEnd { raw in
                let reply = try await raw.hello()
                let root = try SessionCapabilities(serialized: reply.context).rootID
                let count = reply.limits.requests == 0 ? 64 : min(UInt64(reply.limits.requests), 64)
                let ids = (0..<count).map { 2 * $0 + 1 }
                var bytes: [UInt8] = []
                for id in ids {
                    Frame(id: id, .request(body: ProviderCall.item(root).serialized(), deadline: 0)).append(to: &bytes)
                }
                try await raw.send(bytes)
                let answers = try await raw.finalFrames(of: Set(ids))
                for (id, answer) in answers {
                    guard case .answer = answer.kind else {
                        throw CheckFailure(
                            "A request that the provider had agreed to take fails.", detail: "\(id): \(answer)")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-CONC-002", .must, "As many reads as were agreed on can be begun at once, and each is whole",
            rule: .frame("Limits"), limit: .seconds(60)
        ) { context in
            try await context.withSession { session in
                let document = try await context.largestDocument(session)
                let whole = try await session.contents(of: document.id).bytes
                let limit = session.peer.limits.requests
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<min(limit, max(4, 33_554_432 / max(whole.count, 1))) {
                        group.addTask {
                            let read = try await session.contents(of: document.id).bytes
                            try expect(read == whole, "Of several reads at once one got other contents.")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        },
        ConformanceCheck(
            "PC-CONC-003", .must, "A long read does not hold up short questions", rule: .rule("PROV-12"),
            limit: .seconds(60)
        ) { context in
            try await context.withSession { session in
                let document = try await context.largestDocument(session)
                let clock = ContinuousClock()
                var figures: [String] = []
                // What holds questions up does it each time; a machine that has something else to do does not.
                for _ in 0..<3 {
                    let began = clock.now
                    async let read = session.contents(of: document.id)
                    try await Task.sleep(for: .milliseconds(5))
                    var slowest = Duration.zero
                    for _ in 0..<5 {
                        let asked = clock.now
                        _ = try await session.item(session.rootID)
                        slowest = max(slowest, clock.now - asked)
                    }
                    _ = try await read
                    let whole = clock.now - began
                    // A read that is over at once holds nobody up.
                    if whole < .milliseconds(300) || slowest < max(whole / 2, .milliseconds(200)) { return }
                    figures.append("The read took \(whole), the slowest question \(slowest).")
                }
                throw CheckFailure(
                    "Short questions wait for the end of a long read.", detail: figures.joined(separator: "\n"))
            }
        },
        changing("004", .must, "Of two writers that begin from one version exactly one wins", rule: .provider("Modify"))
        {
            session, container in
            var item = try await ModifyingChecks.document(in: container, session)
            for _ in 0..<5 {
                let old = item
                async let one = outcome {
                    try await session.change(old, contents: Array("one".utf8), base: old.version)
                }
                async let two = outcome {
                    try await session.change(old, contents: Array("two".utf8), base: old.version)
                }
                let outcomes = try await [one, two]
                let winners = outcomes.compactMap { try? $0.get() }
                try expect(winners.count == 1, "Of two writers not exactly one won.", detail: "\(outcomes)")
                for case .failure(let error) in outcomes {
                    try expect(
                        [.versionNoLongerAvailable, .busy].contains(error.code),
                        "The writer that lost is not told that the version is gone.", detail: "\(error)")
                }
                item = try await session.item(old.id)
                try expect(item.version, is: winners[0].version, "The version is not that of the winner.")
                let isFirst = (try? outcomes[0].get()) != nil
                try expect(
                    try await session.contents(of: old.id).bytes, is: Array((isFirst ? "one" : "two").utf8),
                    "The contents are not those of the winner.")
            }
        },
        changing("005", .must, "Of two new items of one name exactly one is made", rule: .provider("Create")) {
            session, container in
            for number in 0..<5 {
                let name = "Contested \(number).txt"
                async let one = outcome { try await session.createDocument(name, in: container.id, contents: [1]) }
                async let two = outcome { try await session.createDocument(name, in: container.id, contents: [2]) }
                let outcomes = try await [one, two]
                try expect(
                    outcomes.count { (try? $0.get()) != nil } == 1,
                    "Of two items of one name not exactly one was made.",
                    detail: "\(outcomes)")
                for case .failure(let error) in outcomes {
                    try expect(
                        [.nameCollision, .busy].contains(error.code), "The second is not told of the collision.",
                        detail: "\(error)")
                }
            }
            try expect(
                try await session.list(container.id).count, is: 5, "There are not exactly the items that were made.")
        },
        changing("006", .must, "Sixteen documents can be made and changed at once", rule: .rule("PROV-12")) {
            session, container in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let made = try await session.createDocument(
                            "\(number).txt", in: container.id, contents: Array("old \(number)".utf8))
                        _ = try await session.change(made, contents: Array("new \(number)".utf8), base: made.version)
                        try expect(
                            try await session.contents(of: made.id).bytes, is: Array("new \(number)".utf8),
                            "A document that was changed beside others has other contents.")
                    }
                }
                try await group.waitForAll()
            }
            try expect(try await session.list(container.id).count, is: 16, "Not all documents are there.")
        },
        changing(
            "007", .must, "A document that is replaced while it is read is read whole, old or new",
            rule: .rule("PROV-17")
        ) {
            session, container in
            let size = 1_048_576
            var item = try await session.createDocument(
                "Changing.bin", in: container.id, contents: [UInt8](repeating: 1, count: size))
            for round in 2...5 {
                let (now, value) = (item, UInt8(round))
                async let changed = session.change(now, contents: [UInt8](repeating: value, count: size))
                let read: (item: Item, bytes: [UInt8])?
                do {
                    read = try await session.contents(of: now.id)
                } catch let error as DocumentError where [.versionNoLongerAvailable, .busy].contains(error.code) {
                    read = nil
                }
                item = try await changed
                guard let read else { continue }
                let first = read.bytes.first ?? 0
                try expect(read.bytes.allSatisfy { $0 == first }, "A read gave parts of two versions.")
                try expect(
                    first == (read.item.version.content == item.version.content ? value : value - 1),
                    "A read gave other contents than those of the version it names.")
            }
        },
        changing("008", .must, "A folder is listed whole while items are made in it", rule: .provider("Enumerate")) {
            session, container in
            var before: Set<ItemIdentifier> = []
            for number in 0..<12 {
                before.insert(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
            }
            async let made: Void = {
                for number in 100..<120 {
                    _ = try await session.createDocument("\(number).txt", in: container.id, contents: [1])
                }
            }()
            for _ in 0..<5 {
                let listed: [Item]
                do {
                    listed = try await session.list(container.id, count: 3)
                } catch let error as DocumentError where error.code == .pageExpired { continue }
                try expect(before.isSubset(of: listed.map(\.id)), "An item that was there all the time is not listed.")
                try expect(Set(listed.map(\.id)).count, is: listed.count, "A listing holds an item twice.")
            }
            try await made
        },
        changing(
            "009", .must, "What stays in a folder is listed once, also when something is removed between two pages",
            rule: .provider("Enumerate")
        ) { session, container in
            var made: [ItemIdentifier] = []
            for number in 0..<12 {
                made.append(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
            }
            let first = try await session.page(of: container.id, count: 4)
            guard var token = first.next, let removed = first.items.first?.id else {
                throw CheckSkip("The provider gives the whole folder in one page.")
            }
            try await session.delete(removed)
            var listed = first.items.map(\.id)
            do {
                for _ in 0..<20 {
                    let page = try await session.page(of: container.id, from: token, count: 4)
                    listed += page.items.map(\.id)
                    guard let next = page.next else { break }
                    token = next
                }
            } catch let error as DocumentError where error.code == .pageExpired {
                return
            }
            try expect(
                Set(listed).isSuperset(of: Set(made).subtracting([removed])),
                "An item that stayed is left out of a listing because another one was removed.")
            try expect(Set(listed).count, is: listed.count, "A listing holds an item twice.")
        },
    ]

    private static func outcome(
        _ body: () async throws -> Item
    ) async throws -> Result<Item, DocumentError> {
        do {
            return .success(try await body())
        } catch let error as DocumentError {
            return .failure(error)
        }
    }

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String, rule: RuleReference,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-CONC-" + number, level, title, rule: rule, limit: .seconds(60), body: body)
    }
}
