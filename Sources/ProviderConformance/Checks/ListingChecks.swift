import DocumentModel
import DocumentWire

/// Folders, page by page.
enum ListingChecks {
    static let all: [ConformanceCheck] = reading + paging + changing

    private static let reading: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-LIST-001", .must, "The top folder can be listed", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in _ = try await session.list(session.rootID) }
        },
        ConformanceCheck(
            "PC-LIST-002", .must, "Every listed item names the folder that it was listed in as its parent",
            rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                for item in try await session.list(folder) {
                    try expect(item.parentID, is: folder, "A listed item has another parent than the folder it is in.")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-003", .must, "A listing holds every item once", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let items = try await session.list(folder)
                try expect(Set(items.map(\.id)).count == items.count, "A listing holds an item twice.")
            }
        },
        ConformanceCheck(
            "PC-LIST-004", .must, "Listing a folder that does not exist fails with noSuchItem",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let id = try context.unknownIdentifier()
                try await expectError(.noSuchItem, from: "Enumerate of an unknown folder") {
                    try await session.page(of: id)
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-005", .must, "A document holds no items", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                do {
                    let page = try await session.page(of: document.id)
                    try expect(page.items.isEmpty, "A document is listed as a folder with items.", detail: "\(page)")
                } catch let error as DocumentError {
                    try expect(
                        error.code.errorClass != .resolvable, "Listing a document fails as if it could succeed later.",
                        detail: "\(error)")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-006", .must, "Every folder that is listed can be listed itself", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                for folder in try await context.allItems(session).filter({ $0.kind == .folder }).prefix(50) {
                    _ = try await session.page(of: folder.id)
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-007", .must, "Names in one folder differ", rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                let items = try await context.allItems(session)
                for (_, siblings) in Dictionary(grouping: items, by: \.parentID) {
                    let names = siblings.compactMap(\.name)
                    try expect(
                        Set(names).count == names.count, "Two items of one folder have the same name.",
                        detail: "\(names)")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-008", .must, "No folder lists itself or the top folder", rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session) {
                    try expect(
                        item.id != session.rootID && item.id != item.parentID,
                        "A listing holds the top folder, or the folder itself.", detail: "\(item)")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-009", .must, "Two listings of an unchanged folder are the same", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let (one, two) = (try await session.list(folder), try await session.list(folder))
                try expect(Set(one), is: Set(two), "Two listings of an unchanged folder differ.")
            }
        },
        ConformanceCheck(
            "PC-LIST-010", .must, "An empty folder is one page without items", rule: .provider("Enumerate")
        ) { context in
            guard !context.configuration.data.emptyFolders.isEmpty else {
                throw CheckSkip("The configuration names no empty folder.")
            }
            try await context.withSession { session in
                for path in context.configuration.data.emptyFolders {
                    let page = try await session.page(of: try await context.known(path, session).id)
                    try expect(
                        page == ItemPage(items: []), "An empty folder has items, or more pages.", detail: "\(page)")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-011", .must, "What the configuration says is there is listed", rule: .provider("Enumerate")
        ) { context in
            guard !context.configuration.data.documents.isEmpty else {
                throw CheckSkip("The configuration names no documents.")
            }
            try await context.withSession { session in
                for document in context.configuration.data.documents {
                    let item = try await context.known(document.path, session)
                    guard let parent = item.parentID else { continue }
                    try expect(
                        try await session.list(parent).contains(item), "A known document is missing in its folder.",
                        detail: document.path)
                }
            }
        },
    ]

    private static let paging: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-LIST-020", .must, "Whatever number of items is suggested, all items come, each once",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let all = try await session.list(folder, count: 10_000)
                for count in [1, 2, 3, 7, 100] {
                    let items = try await session.list(folder, count: count)
                    try expect(items.count == Set(items.map(\.id)).count, "Small pages hold an item twice.")
                    try expect(Set(items), is: Set(all), "Small pages hold other items than large ones.")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-021", .must, "A host without an opinion on the number, or with an absurd one, gets a page",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                for count in [0, 4_294_967_295] as [UInt64] {
                    let call = MessageBytes().adding(1, folder.rawValue).adding(3, count)
                    let reply = try ProviderReply(serialized: try await session.ask(raw: MessageBytes.call(3, call)))
                    guard case .enumerate(let page) = reply, !page.items.isEmpty else {
                        throw CheckFailure("An odd suggested count gives no items.", detail: "\(reply)")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-022", .must, "A page holds at most 100 times as many items as were suggested",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let page = try await session.page(of: try await context.sampleFolder(session), count: 1)
                try expect(page.items.count <= 100, "A page holds more than 100 times as many items as were suggested.")
            }
        },
        ConformanceCheck(
            "PC-LIST-023", .must, "Page tokens have at most 500 bytes", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let pages = try await session.pages(of: try await context.sampleFolder(session), count: 1)
                for token in pages.compactMap(\.next) {
                    try expect(token.bytes.count <= 500, "A page token is longer than 500 bytes.")
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-024", .must, "A page token that was never given fails with pageExpired",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let tokens: [[UInt8]] = [[0], Array("garbage".utf8), [UInt8](repeating: 0xFF, count: 500)]
                for bytes in tokens {
                    let token = try PageToken(bytes)
                    try await expectError(.pageExpired, .invalidArgument, from: "Enumerate with a made-up page token") {
                        try await session.page(of: folder, from: token)
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-025", .must, "A page can be asked for again", rule: .provider("ProviderRequest")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let first = try await session.page(of: folder, count: 1)
                guard let token = first.next else { throw CheckSkip("No folder has more than one page.") }
                let (one, two) = (
                    try await session.page(of: folder, from: token, count: 1),
                    try await session.page(of: folder, from: token, count: 1)
                )
                try expect(one.items, is: two.items, "The same page token gives other items the second time.")
            }
        },
        ConformanceCheck(
            "PC-LIST-026", .must, "A page token of one folder gives no items of it in another",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                guard let token = try await session.page(of: folder, count: 1).next else {
                    throw CheckSkip("No folder has more than one page.")
                }
                guard
                    let other = try await
                        ([session.rootID] + context.allItems(session).filter { $0.kind == .folder }.map(\.id))
                        .first(where: { $0 != folder })
                else { throw CheckSkip("There is only one folder.") }
                do {
                    // Items of the wrong folder are found by the check of every answer.
                    _ = try await session.page(of: other, from: token, count: 1)
                } catch let error as DocumentError {
                    try expect(
                        [.pageExpired, .invalidArgument].contains(error.code),
                        "A page token of another folder fails with a code that says something else.", detail: "\(error)"
                    )
                }
            }
        },
        ConformanceCheck(
            "PC-LIST-027", .must, "A page token is good for another number of items too", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                let all = try await session.list(folder)
                let first = try await session.page(of: folder, count: 1)
                guard var token = first.next else { throw CheckSkip("No folder has more than one page.") }
                var items = first.items
                var count = 2
                while items.count <= all.count {
                    let page = try await session.page(of: folder, from: token, count: count)
                    items += page.items
                    count += 3
                    guard let next = page.next else { break }
                    token = next
                }
                try expect(Set(items), is: Set(all), "Pages of changing sizes do not hold all items.")
                try expect(items.count, is: all.count, "Pages of changing sizes hold an item twice.")
            }
        },
    ]

    private static let changing: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-LIST-040", .must, "A new folder is empty", rule: .provider("Enumerate"), needs: [.modifying],
            mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let page = try await session.page(of: container.id)
                try expect(page == ItemPage(items: []), "A new folder has items, or more pages.", detail: "\(page)")
            }
        },
        ConformanceCheck(
            "PC-LIST-041", .must, "A new document is listed at once", rule: .provider("Create"), needs: [.modifying],
            mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let document = try await session.createDocument("new.txt", in: container.id, contents: [1])
                try expect(
                    try await session.list(container.id), is: [document], "A new document is not listed as it was made."
                )
            }
        },
        ConformanceCheck(
            "PC-LIST-042", .must, "A removed document is not listed any more", rule: .provider("Delete"),
            needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let document = try await session.createDocument("old.txt", in: container.id, contents: [1])
                try await session.delete(document.id)
                try expect(try await session.list(container.id).isEmpty, "A removed document is still listed.")
            }
        },
        ConformanceCheck(
            "PC-LIST-043", .must, "What stays while a folder is changed between two pages is listed, each item once",
            rule: .provider("Enumerate"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                var made: [Item] = []
                for number in 0..<8 {
                    made.append(
                        try await session.createDocument("\(number).txt", in: container.id, contents: [UInt8(number)]))
                }
                let first = try await session.page(of: container.id, count: 2)
                let later = made.filter { item in !first.items.contains { $0.id == item.id } }
                if let gone = later.last { try await session.delete(gone.id) }
                if let gone = first.items.first { try await session.delete(gone.id) }
                _ = try await session.createDocument("between.txt", in: container.id, contents: [])
                let gone = Set([later.last?.id, first.items.first?.id].compactMap { $0 })
                let staying = Set(made.map(\.id)).subtracting(gone)
                var items = first.items
                var token = first.next
                do {
                    while let current = token {
                        let page = try await session.page(of: container.id, from: current, count: 2)
                        items += page.items
                        token = page.next
                        guard items.count < 100 else { throw CheckFailure("The pages come to no end.") }
                    }
                } catch let error as DocumentError where error.code == .pageExpired {
                    // Beginning again is what the host does then.
                    items = try await session.list(container.id, count: 2)
                }
                let ids = items.map(\.id)
                try expect(
                    staying.isSubset(of: Set(ids)), "An item is missing in a listing during which others were changed.",
                    detail: "missing: \(staying.subtracting(ids))")
                try expect(
                    ids.filter(staying.contains).count == staying.count,
                    "An item comes twice in a listing during which others were changed.", detail: "\(ids)")
            }
        },
        ConformanceCheck(
            "PC-LIST-044", .must, "A folder with many items comes in full, whatever the size of the pages",
            rule: .provider("Enumerate"), needs: [.modifying], mutates: true, limit: .seconds(60)
        ) { context in
            try await context.freshContainer { session, container in
                var made: Set<ItemIdentifier> = []
                for number in 0..<120 {
                    made.insert(try await session.createFolder("folder \(number)", in: container.id).id)
                }
                for count in [1, 50, 119, 120, 121] {
                    let ids = try await session.list(container.id, count: count).map(\.id)
                    try expect(Set(ids) == made && ids.count == made.count, "A large folder is not listed in full.")
                }
            }
        },
    ]
}
