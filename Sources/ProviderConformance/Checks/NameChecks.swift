import DocumentModel
import DocumentWire

/// Names: kept byte by byte, or refused; never bent.
enum NameChecks {
    static let all: [ConformanceCheck] = [
        kept("001", .must, "An ordinary name", ["Annual report (final) 2.txt"]),
        kept("002", .must, "A name in composed Unicode form", ["R\u{E9}sum\u{E9}.txt"]),
        kept("003", .must, "A name in decomposed Unicode form", ["Re\u{301}sume\u{301}.txt"]),
        kept("004", .must, "Capitals in a name", ["README.TXT", "MixedCase.Txt"]),
        kept("005", .must, "A name of 255 bytes", [String(repeating: "n", count: 251) + ".txt"]),
        kept("006", .must, "A name of 255 bytes in letters of three bytes", [String(repeating: "語", count: 85)]),
        kept(
            "007", .must, "A name with characters that other systems refuse",
            ["back\\slash.txt", "co:lon.txt", "st*r.txt", "what?.txt", "\"quoted\".txt", "<angle>.txt", "pi|pe.txt"]),
        kept(
            "008", .must, "A name with characters that shells and URLs treat in their own way",
            [
                "$HOME `id`.txt", "a;b&c.txt", "100%25.txt", "#tag.txt", "~tilde", "it's [one] {more}!.txt",
                "a+b=c@d.txt",
            ]),
        kept("009", .must, "A name with a dot at its beginning", [".hidden", "..two dots", "...", ".a.b"]),
        kept("010", .must, "A name with spaces or dots at its end", ["trailing space ", "trailing dot.", "both. "]),
        kept("011", .must, "A name with a space or a hyphen at its beginning", [" leading space", "-rf", "--"]),
        kept(
            "012", .must, "A name that another system reserves", ["CON", "nul.txt", "aux", "COM1.log", "desktop.ini"]),
        kept(
            "013", .must, "A name beyond the first plane, with joiners and marks of direction",
            ["\u{1F469}\u{200D}\u{1F680}.txt", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}.txt", "a\u{200B}b.txt", "\u{202E}txt.exe"]),
        kept("014", .must, "A name that begins with a combining mark", ["\u{301}mark.txt"]),
        kept("015", .must, "A name of one byte", ["x", "1", "-"]),
        check("016", .must, "Names that differ in their Unicode form only are two items, or the second is refused") {
            session, container in
            try await expectTwoOrCollision("\u{E9}.txt", "e\u{301}.txt", in: container, session)
        },
        check("017", .must, "Names that differ in the case of letters only are two items, or the second is refused") {
            session, container in
            try await expectTwoOrCollision("note.txt", "NOTE.txt", in: container, session)
        },
        check("018", .should, "Names that differ in the case of letters only are two items") { session, container in
            _ = try await session.createDocument("note.txt", in: container.id, contents: [1])
            _ = try await session.createDocument("NOTE.txt", in: container.id, contents: [2])
            try expect(Set(try await session.names(in: container.id)), is: ["note.txt", "NOTE.txt"], "One is missing.")
        },
        check("019", .must, "An odd name that is not refused can be asked for as a path, and comes back") {
            session, container in
            for name in ["R\u{E9}sum\u{E9} 100%.txt", "e\u{301}.txt", "a#b?c.txt", "back\\slash", "\u{301}mark"] {
                guard
                    let item = try await unlessRefused({
                        try await session.createDocument(name, in: container.id, contents: [1])
                    })
                else { continue }
                guard let path = try await session.path(for: item.id) else {
                    throw CheckFailure("An item has no path.", detail: name)
                }
                try expect(
                    path.utf8.elementsEqual("\(container.name?.rawValue ?? "")/\(name)".utf8)
                        || path.utf8.reversed().starts(with: "/\(name)".utf8.reversed()),
                    "The path of an item does not end in its name.", detail: path)
                try expect(try await session.identifier(forPath: path), is: item.id, "A path leads elsewhere.")
            }
        },
        check("020", .must, "A rename to an odd name keeps every byte of it") { session, container in
            var item = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: item, "renamed")
            for name in ["e\u{301}.txt", "\u{E9}.txt", "UPPER.txt", "trailing ", String(repeating: "m", count: 255)] {
                // It may have another identifier by now (ID-4).
                item = try await session.change(item, name: name)
                try expectName(item, name)
                guard let listed = try await session.list(container.id).first else {
                    throw CheckFailure("A renamed item is not listed.", detail: name)
                }
                try expectName(listed, name)
            }
        },
        check("021", .must, "A folder with an odd name that is not refused can be made, listed and gone into") {
            session, container in
            for name in ["Ordner \u{E9}", "Ordner e\u{301} 2", "100% #1?", "trailing "] {
                guard
                    let folder = try await unlessRefused({
                        try await session.createFolder(name, in: container.id)
                    })
                else { continue }
                try expectName(folder, name)
                let inside = try await session.createDocument("inside.txt", in: folder.id, contents: [1])
                try expect(try await session.list(folder.id), is: [inside], "The folder does not list what is in it.")
            }
        },
    ]

    /// - Returns: nil when the name is refused with invalidArgument, which a provider may.
    private static func unlessRefused(_ make: () async throws -> Item) async throws -> Item? {
        do {
            return try await make()
        } catch let error as DocumentError where error.code == .invalidArgument {
            return nil
        }
    }

    /// A check that names are kept as they are, or refused as a whole.
    private static func kept(
        _ number: String, _ level: CheckLevel, _ what: String, _ names: [String]
    ) -> ConformanceCheck {
        check(number, level, "\(what) is kept byte by byte, or refused with invalidArgument") { session, container in
            for name in names {
                guard
                    let made = try await unlessRefused({
                        try await session.createDocument(name, in: container.id, contents: Array(name.utf8))
                    })
                else { continue }
                try expectName(made, name)
                try expectName(try await session.item(made.id), name)
                guard let listed = try await session.list(container.id).first(where: { $0.id == made.id }) else {
                    throw CheckFailure("An item is not listed because of its name.", detail: ItemName.printable(name))
                }
                try expectName(listed, name)
                try expect(
                    try await session.contents(of: made.id).bytes, is: Array(name.utf8),
                    "An item has other contents because of its name.")
            }
        }
    }

    /// By bytes: equal strings may be spelt in different ways.
    private static func expectName(_ item: Item, _ name: String) throws {
        try expect(
            item.name == (try ItemName(name)), "A name does not come back as it was given.",
            detail: "Given: \(Array(name.utf8))\nFound: \(Array((item.name?.rawValue ?? "").utf8))")
    }

    private static func expectTwoOrCollision(
        _ one: String, _ other: String, in container: Item, _ session: ConformanceSession
    ) async throws {
        let first = try await session.createDocument(one, in: container.id, contents: Array("one".utf8))
        do {
            let second = try await session.createDocument(other, in: container.id, contents: Array("other".utf8))
            try expectName(second, other)
            try expect(
                Set(try await session.list(container.id).map(\.id)), is: [first.id, second.id],
                "Two names that look alike are not two items.")
        } catch let error as DocumentError where [.nameCollision, .nameClash, .invalidArgument].contains(error.code) {}
        try expect(
            try await session.contents(of: first.id).bytes, is: Array("one".utf8),
            "An item was overwritten by one whose name looks alike.")
        try expectName(try await session.item(first.id), one)
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-NAME-" + number, level, title, rule: .model("Item"), body: body)
    }
}
