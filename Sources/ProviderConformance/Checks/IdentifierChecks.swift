import DocumentModel
import DocumentWire

/// What identifiers promise: they are opaque, persistent and nobody else's.
enum IdentifierChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-ID-001", .must, "Identifiers have 1 to 4,096 bytes", rule: .rule("ID-9")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session) {
                    try expect(
                        (1...ItemIdentifier.maximumLength).contains(item.id.rawValue.utf8.count),
                        "An identifier is empty or longer than 4,096 bytes.", detail: "\(item)")
                }
            }
        },
        ConformanceCheck(
            "PC-ID-002", .must, "No two items have the same identifier", rule: .rule("ID-1")
        ) { context in
            try await context.withSession { session in
                let ids = try await context.allItems(session).map(\.id)
                try expect(Set(ids).count == ids.count, "Two items have the same identifier.")
            }
        },
        ConformanceCheck(
            "PC-ID-003", .must, "Identifiers are the same after a restart", rule: .rule("ID-1")
        ) { context in
            let before = try await context.withSession { session in
                // That no identifier comes twice is the rule of another check.
                Dictionary(try await context.allItems(session).map { ($0.id, $0) }) { first, _ in first }
            }
            try await context.withFreshSession { session in
                for (id, item) in before.prefix(100) {
                    let after: Item
                    do {
                        after = try await session.item(id)
                    } catch let error as DocumentError {
                        throw CheckFailure(
                            "An identifier is not known any more after a restart.", detail: "\(id): \(error)")
                    }
                    try expect(
                        after.name == item.name && after.parentID == item.parentID,
                        "An identifier means another item after a restart.", detail: "\(item)\n\(after)")
                }
            }
        },
        ConformanceCheck(
            "PC-ID-004", .must, "Versions of what was not changed are the same after a restart",
            rule: .model("ItemVersion")
        ) { context in
            let before = try await context.withSession { try await context.allItems($0) }
            try await context.withFreshSession { session in
                for item in before.prefix(100) {
                    try expect(
                        try await session.item(item.id).version, is: item.version,
                        "The version of an unchanged item is another one after a restart.")
                }
            }
        },
        ConformanceCheck(
            "PC-ID-005", .must, "The top folder's identifier is the same after a restart",
            rule: .provider("SessionCapabilities")
        ) { context in
            let before = try await context.withSession { $0.rootID }
            try await context.withFreshSession { session in
                try expect(session.rootID, is: before, "The top folder has another identifier after a restart.")
            }
        },
        ConformanceCheck(
            "PC-ID-006", .must, "Identifiers are compared whole: a longer, a shorter and another one are not found",
            rule: .rule("ID-9")
        ) { context in
            try await context.withSession { session in
                let known = Set(try await context.allItems(session).map(\.id) + [session.rootID])
                for item in known.sorted().prefix(5) where item != session.rootID {
                    let text = item.rawValue
                    for other in [text + "x", "x" + text, text + "/", text + "\u{0301}", String(text.dropLast())] {
                        guard let id = try? ItemIdentifier(other), !known.contains(id) else { continue }
                        try await expectError(.noSuchItem, .invalidArgument, from: "GetItem of a similar identifier") {
                            try await session.item(id)
                        }
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-ID-007", .must, "A removed item's identifier is not given to another item", rule: .rule("ID-1"),
            needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let old = try await session.createDocument("one.txt", in: container.id, contents: [1])
                try await session.delete(old.id)
                var ids: Set<ItemIdentifier> = []
                for number in 0..<5 {
                    ids.insert(
                        try await session.createDocument("other \(number).txt", in: container.id, contents: [2]).id)
                }
                try expect(!ids.contains(old.id), "The identifier of a removed item was given to another one.")
                try await expectError(.noSuchItem, from: "GetItem of a removed item") { try await session.item(old.id) }
            }
        },
        ConformanceCheck(
            "PC-ID-008", .must, "An item keeps its identifier when its contents change", rule: .rule("ID-1"),
            needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let old = try await session.createDocument("one.txt", in: container.id, contents: [1])
                let new = try await session.replaceContents(of: old.id, with: [1, 2])
                try expect(new.id, is: old.id, "An item gets another identifier with new contents.")
                try expect(new.name == old.name, "An item gets another name with new contents.", detail: "\(new)")
            }
        },
    ]
}
