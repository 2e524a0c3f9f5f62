import DocumentModel
import DocumentWire
import SystemPackage

/// Calls that are given up at each stage: each is answered once, and what it does is done or not done, never half.
enum CancelStageChecks {
    /// When the cancel comes.
    private enum Stage: String, CaseIterable {
        case withTheRequest = "in the same write as the request"
        case atOnce = "right after the request"
        case soon = "after two milliseconds"
        case later = "after thirty milliseconds"
        case atProgress = "with the first progress"
        case afterTheAnswer = "after the answer"
    }

    static let all: [ConformanceCheck] = [
        changing("010", "A Create that is cancelled, at any stage, is done or not done") { context, container in
            try await create(context, container)
        },
        changing("011", "A Modify that is cancelled, at any stage, is done or not done") { context, container in
            try await modify(context, container)
        },
        changing("012", "A Delete that is cancelled, at any stage, is done or not done") { context, container in
            try await delete(context, container)
        },
        ConformanceCheck(
            "PC-CANCEL-013", .must, "An Enumerate that is cancelled, at any stage, gives a whole page or none",
            rule: .frame("Cancel"), limit: .seconds(60)
        ) { context in
            try await enumerate(context)
        },
        changing(
            "014", "A ChangesSince that is cancelled, at any stage, tells all or nothing", needs: [.changes]
        ) { context, container in
            try await changes(context, container)
        },
    ]

    // MARK: The calls

    private static let contents = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 / 7) }

    private static func create(_ context: CheckContext, _ container: Item) async throws {
        let file = try context.folder.newFile(contents: contents)
        defer { file.remove() }
        let calls = try Stage.allCases.enumerated().map { number, stage in
            (
                stage,
                ProviderCall.CreateCall(
                    parentID: container.id, name: try ItemName("Stage \(number).bin"), kind: .document,
                    contentsPath: file.path.string, modified: nil, operation: operationName())
            )
        }
        let finals = try await finalFrames(of: calls.map { ($0.0, .create($0.1)) }, context)
        try await context.withFreshSession { session in
            let before = try await session.list(container.id)
            try expect(
                Set(before.map(\.name)).subtracting(calls.map(\.1.name)), is: [],
                "A Create that was cancelled leaves something under another name.")
            for ((stage, call), final) in zip(calls, finals) {
                let there = before.filter { $0.name == call.name }
                if case .answer(let body) = final.kind {
                    guard case .create(let item) = try ProviderReply(serialized: body), there == [item] else {
                        throw half("Create", stage, "It was answered, and there is \(there).")
                    }
                }
                // Whoever asks again gets the one item, whole.
                let item = try await session.create(call)
                guard there.isEmpty || there.map(\.id) == [item.id] else {
                    throw half("Create", stage, "Asked again it makes another item.")
                }
                guard try await session.contents(of: item.id).bytes == contents else {
                    throw half("Create", stage, "The contents are not whole.")
                }
            }
            try expect(
                try await session.list(container.id).count, is: calls.count, "There are not exactly the items made.")
        }
    }

    private static func modify(_ context: CheckContext, _ container: Item) async throws {
        let file = try context.folder.newFile(contents: contents)
        defer { file.remove() }
        let old = Array("old contents".utf8)
        let calls = try await context.withSession { session in
            var calls: [(Stage, Item, ProviderCall.ModifyCall)] = []
            for (number, stage) in Stage.allCases.enumerated() {
                let item = try await session.createDocument("Old \(number).bin", in: container.id, contents: old)
                let name = item.capabilities.contains(.rename) ? try ItemName("New \(number).bin") : nil
                calls.append(
                    (
                        stage, item,
                        ProviderCall.ModifyCall(
                            id: item.id, baseVersion: item.version, contentsPath: file.path.string, name: name,
                            operation: operationName())
                    ))
            }
            return calls
        }
        let finals = try await finalFrames(of: calls.map { ($0.0, .modify($0.2)) }, context)
        try await context.withFreshSession { session in
            for ((stage, item, call), final) in zip(calls, finals) {
                // It may have another identifier by now (ID-4).
                let found = try await session.list(container.id).filter { $0.id == item.id || $0.name == call.name }
                guard let now = found.first, found.count == 1 else {
                    throw half("Modify", stage, "There are \(found.count) of it.")
                }
                let bytes = try await session.contents(of: now.id).bytes
                let isOld = now == item && bytes == old
                let isNew = now.name == call.name ?? item.name && bytes == contents
                var isAnswered = false
                if case .answer = final.kind { isAnswered = true }
                guard isNew || (isOld && !isAnswered) else {
                    throw half("Modify", stage, "It has \(bytes.count) bytes, and is \(now).")
                }
                // Whoever asks again has it done, once.
                let done = try await session.modify(call)
                guard try await session.contents(of: done.id).bytes == contents else {
                    throw half("Modify", stage, "Asked again it is not done.")
                }
            }
            try expect(
                try await session.list(container.id).count, is: calls.count, "There are more items, or fewer.")
        }
    }

    private static let children = 6

    private static func delete(_ context: CheckContext, _ container: Item) async throws {
        let calls = try await context.withSession { session in
            var calls: [(Stage, ProviderCall.DeleteCall)] = []
            for (number, stage) in Stage.allCases.enumerated() {
                let folder = try await session.createFolder("Folder \(number)", in: container.id)
                for child in 0..<children {
                    _ = try await session.createDocument("\(child).txt", in: folder.id, contents: [1])
                }
                calls.append(
                    (
                        stage,
                        ProviderCall.DeleteCall(
                            id: folder.id, baseVersion: .none, recursive: true, operation: operationName())
                    ))
            }
            return calls
        }
        let finals = try await finalFrames(of: calls.map { ($0.0, .delete($0.1)) }, context)
        try await context.withFreshSession { session in
            for ((stage, call), final) in zip(calls, finals) {
                var isAnswered = false
                if case .answer = final.kind { isAnswered = true }
                if try await !session.isGone(call.id) {
                    let left = try await session.list(call.id).count
                    guard !isAnswered, left == children else {
                        throw half("Delete", stage, "Of \(children) documents \(left) are left.")
                    }
                }
                try await session.delete(call.id, recursive: true, operation: call.operation)
            }
            try expect(try await session.list(container.id), is: [], "Asked again it is not done.")
        }
    }

    private static func enumerate(_ context: CheckContext) async throws {
        let (folder, all) = try await context.withSession { session in
            let folder = try await context.sampleFolder(session)
            return (folder, Set(try await session.list(folder).map(\.id)))
        }
        let call = ProviderCall.enumerate(container: folder, page: nil, suggestedCount: 100)
        let finals = try await finalFrames(of: Stage.allCases.map { ($0, call) }, context)
        for (stage, final) in zip(Stage.allCases, finals) {
            guard case .answer(let body) = final.kind else { continue }
            guard case .enumerate(let page) = try ProviderReply(serialized: body) else {
                throw half("Enumerate", stage, "It is answered with something else.")
            }
            guard page.next != nil || Set(page.items.map(\.id)) == all else {
                throw half("Enumerate", stage, "Of \(all.count) items \(page.items.count) are told, and no more.")
            }
        }
    }

    private static func changes(_ context: CheckContext, _ container: Item) async throws {
        let (anchor, made) = try await context.withSession { session in
            let anchor = try await session.currentAnchor()
            var made: Set<ItemIdentifier> = []
            for number in 0..<children {
                made.insert(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
            }
            return (anchor, made)
        }
        let call = ProviderCall.changesSince(anchor, suggestedCount: 100)
        let finals = try await finalFrames(of: Stage.allCases.map { ($0, call) }, context)
        for (stage, final) in zip(Stage.allCases, finals) {
            guard case .answer(let body) = final.kind else { continue }
            guard case .changesSince(let changes) = try ProviderReply(serialized: body) else {
                throw half("ChangesSince", stage, "It is answered with something else.")
            }
            guard changes.more || made.isSubset(of: changes.updated.map(\.id)) else {
                throw half(
                    "ChangesSince", stage, "Of \(made.count) changes \(changes.updated.count) are told, and no more.")
            }
        }
    }

    // MARK: Giving up

    private static func half(_ call: String, _ stage: Stage, _ what: String) -> CheckFailure {
        CheckFailure("A \(call) that was cancelled is done by half.", detail: "Cancelled \(stage.rawValue): \(what)")
    }

    /// Asks each call and cancels it at its stage, in a process of its own that ends when all are answered.
    private static func finalFrames(
        of calls: [(Stage, ProviderCall)], _ context: CheckContext
    ) async throws -> [Frame] {
        try await context.withRawSession { raw in
            var finals: [Frame] = []
            for (number, (stage, call)) in calls.enumerated() {
                finals.append(try await finalFrame(of: call, UInt64(4 * number + 1), stage, raw))
            }
            return finals
        }.result
    }

    private static func finalFrame(
        of call: ProviderCall, _ id: UInt64, _ stage: Stage, _ raw: RawSession
    ) async throws -> Frame {
        let request = Frame(id: id, .request(body: call.serialized(), deadline: 0))
        let cancel = Frame(id: id, .cancel)
        if stage == .withTheRequest { try await raw.send(request, cancel) } else { try await raw.send(request) }
        if stage == .soon { try await Task.sleep(for: .milliseconds(2)) }
        if stage == .later { try await Task.sleep(for: .milliseconds(30)) }
        if [.atOnce, .soon, .later].contains(stage) { try await raw.send(cancel) }
        var final: Frame?
        var isCancelled = false
        while final == nil {
            let frame = try await raw.frame()
            switch frame.kind {
            case .answer where frame.id == id, .failure where frame.id == id: final = frame
            case .progress where frame.id == id && stage == .atProgress && !isCancelled:
                isCancelled = true
                try await raw.send(cancel)
            default: continue
            }
        }
        if stage == .afterTheAnswer { try await raw.send(cancel) }
        // What is answered twice has come before the answer to what is asked now.
        let last = id + 2
        try await raw.send(Frame(id: last, .request(body: ProviderCall.identity.serialized(), deadline: 0)))
        while true {
            let frame = try await raw.frame()
            switch frame.kind {
            case .answer where frame.id == last, .failure where frame.id == last: return try checked(final, stage)
            case .answer where frame.id == id, .failure where frame.id == id:
                throw CheckFailure(
                    "A request that was cancelled \(stage.rawValue) is answered twice.", detail: frame.evidence)
            default: continue
            }
        }
    }

    /// An answer, or a failure that is no wonder after a cancel.
    private static func checked(_ frame: Frame?, _ stage: Stage) throws -> Frame {
        guard let frame else { throw KitError("There is no final frame.") }
        if case .failure(let error) = frame.kind, error.code != .cancelled {
            throw CheckFailure(
                "A request that was cancelled \(stage.rawValue) ends with neither an answer nor cancelled.",
                detail: frame.evidence)
        }
        return frame
    }

    private static func changing(
        _ number: String, _ title: String, needs: [ProviderCapability] = [],
        body: @escaping @Sendable (CheckContext, Item) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-CANCEL-" + number, .must, title, rule: .frame("Cancel"), needs: [.modifying] + needs, mutates: true,
            limit: .seconds(90)
        ) { context in
            try await context.ownContainer { try await body(context, $0) }
        }
    }
}
