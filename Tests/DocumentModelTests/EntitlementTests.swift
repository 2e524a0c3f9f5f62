import DocumentModel
import Testing

/// Containers' names, and what entitlements say.
struct EntitlementTests {
    private func entitlements(_ containers: String...) throws -> Entitlements {
        try Entitlements(containers: containers.map { text throws in try ContainerPattern(text) })
    }

    @Test("CONT-1: a container's identifier is a team of ten characters, a dot and a name")
    func identifiers() throws {
        for text in ["ABCDE12345.notes", "0123456789.org.example.notes", "ABCDE12345.a-b_c.D9"] {
            let identifier = try ContainerIdentifier(text)
            #expect(identifier.rawValue == text && identifier.team == String(text.prefix(10)))
        }
        for text in [
            "", "notes", "ABCDE12345", "ABCDE12345.", "ABCDE1234.notes", "ABCDE123456.notes", "abcde12345.notes",
            "ABCDE12345..notes", "ABCDE12345.notes.", "ABCDE12345.a b", "ABCDE12345.a/b", "ABCDE12345.*",
            "ABCDE1234É.a",
            "ABCDE12345.é", ".ABCDE12345.notes", "org.example.notes",
            "ABCDE12345." + String(repeating: "x", count: 120),
        ] {
            let error = #expect(throws: DocumentError.self, "\(text)") { try ContainerIdentifier(text) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test("CONT-1: the first container has no wildcard, later ones may have one")
    func wildcards() throws {
        let all = try entitlements("ABCDE12345.org.example.notes", "ABCDE12345.org.example.*", "0123456789.*")
        #expect(all.mainContainer?.rawValue == "ABCDE12345.org.example.notes")
        for text in [
            "ABCDE12345.org.example.notes", "ABCDE12345.org.example.other", "ABCDE12345.org.example.other.more",
            "0123456789.anything",
        ] { #expect(all.covers(try ContainerIdentifier(text)), "\(text)") }
        for text in [
            "ABCDE12345.org.example", "ABCDE12345.org.examples.x", "ABCDE12346.org.example.notes", "ABCDE12345.x",
        ] {
            #expect(!all.covers(try ContainerIdentifier(text)), "\(text)")
        }
        let error = #expect(throws: DocumentError.self) { try entitlements("ABCDE12345.*", "ABCDE12345.notes") }
        #expect(error?.message.contains("“ABCDE12345.*” has one") == true)
        #expect(try entitlements().mainContainer == nil)
    }

    @Test("CONT-1: a wildcard stands for the last part, behind a team")
    func patterns() throws {
        for text in [
            "*", ".*", "ABCDE12345*", "ABCDE1234.*", "ABCDE12345.a*", "ABCDE12345.*.a", "ABCDE12345.**", "abcde12345.*",
        ] {
            #expect(throws: DocumentError.self, "\(text)") { try ContainerPattern(text) }
        }
        #expect(try ContainerPattern("ABCDE12345.a.*").description == "ABCDE12345.a.*")
        #expect(try ContainerPattern("ABCDE12345.a").description == "ABCDE12345.a")
    }

    @Test("CONT-6: of a public container others see the documents, as deep as it says, and nothing of the data")
    func shown() throws {
        let paths: [[String]] = [
            [], ["Documents"], ["Documents", "a"], ["Documents", "f", "a"], ["Documents", "f", "g", "a"], ["Data"],
            ["documents", "a"], [".hidden"],
        ]
        let expected: [PublicContainer.FolderLevels: [Bool]] = [
            .none: [true, true, true, false, false, false, false, false],
            .one: [true, true, true, true, false, false, false, false],
            .any: [true, true, true, true, true, false, false, false],
        ]
        for (levels, seen) in expected {
            let container = PublicContainer(
                identifier: try ContainerIdentifier("ABCDE12345.notes"), name: "Notes", folderLevels: levels)
            for (path, isSeen) in zip(paths, seen) {
                let names = try path.map { name throws in try ItemName(name) }
                #expect(container.shows(names) == isSeen, "\(levels) \(path)")
            }
        }
    }
}
