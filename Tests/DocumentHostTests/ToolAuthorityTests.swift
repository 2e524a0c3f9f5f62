import DocumentModel
import Testing

@testable import DocumentHost

/// What registered tools may do, and who they are.
@Suite struct ToolAuthorityTests {
    private let place = "store:/Containers"

    private func authority(
        containers: [String] = [], domains: [String: Entitlements.DomainUse] = [:], opened: [String] = [],
        isPublic: PublicContainer.FolderLevels? = nil, scopes: [(String, BookmarkRights)] = [], hasPlace: Bool = true
    ) throws -> ToolAuthority {
        var named: [DomainName: Entitlements.DomainUse] = [:]
        for (name, use) in domains { named[try DomainName(name)] = use }
        let entitlements = try Entitlements(
            containers: containers.map { text throws in try ContainerPattern(text) }, domains: named)
        var authority = ToolAuthority(
            tool: ToolDescription(
                id: try ToolIdentifier("org.example.notes"), name: "Notes", executable: "/opt/notes",
                entitlements: entitlements),
            containerPlace: hasPlace ? try Location(place) : nil)
        authority.opened = Set(try opened.map { text throws in try ContainerIdentifier(text) })
        if let isPublic {
            authority.publicContainers = [
                PublicContainer(
                    identifier: try ContainerIdentifier("0123456789.shared"), name: "Shared", folderLevels: isPublic)
            ]
        }
        authority.scopes = try scopes.map { scope throws in
            ToolAuthority.Scope(location: try Location(scope.0), rights: scope.1)
        }
        return authority
    }

    /// `r`, `w`, both or nothing.
    private func allowed(_ authority: ToolAuthority, _ location: String) throws -> String {
        let location = try Location(location)
        return (authority.refusal(.reading, of: location) == nil ? "r" : "")
            + (authority.refusal(.writing, of: location) == nil ? "w" : "")
    }

    @Test(
        "CONT-2: a tool may do what its manifest names and nothing else: a table",
        arguments: [
            ("work:/a", "rw"), ("work:/", "rw"), ("archive:/a/b", "r"), ("archive:/", "r"), ("other:/a", ""),
            ("workshop:/a", ""), ("store:/", ""), ("store:/Containers", ""), ("store:/a", ""),
            ("store:/Containers/ABCDE12345.notes", "rw"), ("store:/Containers/ABCDE12345.notes/Documents/a", "rw"),
            ("store:/Containers/ABCDE12345.notes/Data/x", "rw"),
            ("store:/Containers/ABCDE12345.closed/Documents/a", ""),
            ("store:/Containers/ABCDE12345.other/Documents/a", ""), ("store:/Containers/no container/a", ""),
            ("store:/Containers/0123456789.shared", "r"), ("store:/Containers/0123456789.shared/Documents/a", "r"),
            ("store:/Containers/0123456789.shared/Documents/f/a", "r"),
            ("store:/Containers/0123456789.shared/Documents/f/g/a", ""),
            ("store:/Containers/0123456789.shared/Data", ""),
            ("home:/letter.txt", "r"), ("home:/letter.txt.bak", ""), ("home:/f", "rw"), ("home:/f/deep/a", "rw"),
            ("home:/", ""),
        ])
    func table(_ location: String, _ expected: String) throws {
        let authority = try authority(
            containers: ["ABCDE12345.notes", "ABCDE12345.closed"], domains: ["work": .writing, "archive": .reading],
            opened: ["ABCDE12345.notes"], isPublic: .one,
            scopes: [("home:/letter.txt", .readOnly), ("home:/f", .readWrite)])
        #expect(try allowed(authority, location) == expected)
    }

    @Test("CONT-3: a container is used when it was opened, and not before")
    func opening() throws {
        let location = "store:/Containers/ABCDE12345.notes/Documents/a"
        #expect(try allowed(authority(containers: ["ABCDE12345.notes"]), location) == "")
        #expect(
            try allowed(authority(containers: ["ABCDE12345.notes"], opened: ["ABCDE12345.notes"]), location) == "rw")
        // What is opened must still be in the manifest.
        #expect(try allowed(authority(containers: ["ABCDE12345.x"], opened: ["ABCDE12345.notes"]), location) == "")
        let off = try authority(containers: ["ABCDE12345.notes"], opened: ["ABCDE12345.notes"], hasPlace: false)
        #expect(try allowed(off, location) == "")
    }

    @Test("CONT-6: a container that is not public is not visible to other tools")
    func hidden() throws {
        let location = "store:/Containers/0123456789.shared/Documents/a"
        #expect(try allowed(authority(), location) == "")
        #expect(try allowed(authority(isPublic: PublicContainer.FolderLevels.none), location) == "r")
    }

    @Test("CONT-2: a refusal says what is missing, and what to do")
    func words() throws {
        func refusal(_ authority: ToolAuthority, _ use: ToolAuthority.Use, _ location: String) throws -> String {
            try authority.refusal(use, of: Location(location))?.message ?? "none"
        }
        let one = try authority(containers: ["ABCDE12345.notes"], domains: ["archive": .reading], isPublic: .any)
        #expect(
            try refusal(one, .reading, "work:/a")
                == "org.example.notes may not read work:/a: its manifest names neither the domain “work” nor a container there. Register it with a manifest that does, or give it this one item: docent bookmark create work:/a --for org.example.notes"
        )
        #expect(
            try refusal(one, .writing, "archive:/a").contains(
                "under “read-domains”; to change documents of it, it must be under “domains”"))
        #expect(
            try refusal(one, .reading, "store:/Containers/ABCDE12345.other/a")
                == "org.example.notes may not read store:/Containers/ABCDE12345.other/a: its manifest does not name the container ABCDE12345.other under “containers”."
        )
        #expect(
            try refusal(one, .reading, "store:/Containers/ABCDE12345.notes/a").contains("has not opened its container"))
        #expect(
            try refusal(one, .writing, "store:/Containers/0123456789.shared/Documents/a").contains("may only read"))
        let scoped = try authority(scopes: [("home:/a", .readOnly)])
        #expect(try refusal(scoped, .writing, "home:/a").contains("its bookmark of it is read-only"))
    }

    // MARK: Who a tool is

    private func standing(_ program: ToolProgram, admitsUnregistered: Bool = true) throws -> ToolStanding {
        ToolIdentification(
            registered: [
                .init(
                    tool: try ToolIdentifier("org.example.notes"), path: "/opt/notes",
                    file: ProgramFile(device: 1, inode: 10)),
                .init(tool: try ToolIdentifier("org.example.gone"), path: "/opt/gone", file: nil),
            ], ownPrograms: [ProgramFile(device: 1, inode: 99)], admitsUnregistered: admitsUnregistered
        ).standing(of: program)
    }

    private func known(_ path: String, _ inode: UInt64, device: UInt64 = 1) -> ToolProgram {
        .known(path: path, file: ProgramFile(device: device, inode: inode))
    }

    private func isNobody(_ standing: ToolStanding, because reason: String) -> Bool {
        guard case .nobody(let said) = standing else { return false }
        return said.contains(reason)
    }

    @Test("CONT-2: a tool is the file that it runs, whatever that is called")
    func identity() throws {
        let notes = ToolStanding.registered(try ToolIdentifier("org.example.notes"))
        #expect(try standing(known("/opt/notes", 10)) == notes)
        #expect(try standing(known("/somewhere/else", 10)) == notes)
        #expect(try standing(known("/opt/notes", 10), admitsUnregistered: false) == notes)
        #expect(try standing(known("/usr/bin/other", 10, device: 2)) == .user)
    }

    @Test("CONT-2: a program that was replaced or removed since it was started does not gain rights by that")
    func replaced() throws {
        for path in ["/opt/notes", "/opt/notes (deleted)", "/opt/gone", "/opt/gone (deleted)"] {
            for admits in [true, false] {
                #expect(
                    isNobody(try standing(known(path, 11), admitsUnregistered: admits), because: "was replaced since"),
                    "\(path)")
            }
        }
    }

    @Test("CONT-2: what nobody registered is the user's own, or may do nothing where only registered tools are served")
    func unregistered() throws {
        #expect(try standing(known("/usr/bin/python3.11", 50)) == .user)
        #expect(
            isNobody(
                try standing(known("/usr/bin/python3.11", 50), admitsUnregistered: false), because: "is not registered")
        )
        // The command line keeps working.
        #expect(try standing(known("/opt/docent", 99), admitsUnregistered: false) == .user)
        for admits in [true, false] {
            #expect(
                isNobody(
                    try standing(.unknown(reason: "it has ended."), admitsUnregistered: admits),
                    because: "it has ended."))
        }
    }
}
