import DocumentTestSupport
import DocumentWire
import Testing

@testable import DocumentProvider

struct ProviderDefaultsTests {
    private func context(root: FilePath = "/srv/docent") throws -> ProviderContext {
        struct NoHost: ProviderHost {
            func writePlaceholder(_ item: Item) {}
            func signalChanges() {}
            func signalErrorResolved(_ codes: [DocumentError.Code]) {}
        }
        return ProviderContext(
            providerIdentifier: try ProviderIdentifier("org.example.test"), domain: try DomainName("test"),
            stateFolder: "/state", documentStorageURL: root, stagingFolder: "/staging", logger: ProviderFixture.quiet,
            host: NoHost()
        )
    }

    @Test("PROV-2: placeholderURL is pure and knows nothing of the disk")
    func placeholders() throws {
        let context = try context()
        let url = try context.placeholderURL(for: "/srv/docent/documents/work/Reports/q3.pdf")
        #expect(url == "/srv/docent/documents/work/Reports/.docent-placeholders/q3.pdf")
        #expect(try context.placeholderURL(for: "/srv/docent/documents/work/Reports/q3.pdf") == url)
    }

    @Test("PH-2: placeholderURL is injective and inside the root, also for names of 255 bytes")
    func injective() throws {
        let context = try context()
        let longest = String(repeating: "x", count: 255)
        let documents: [FilePath] = [
            "/srv/docent/a", "/srv/docent/A", "/srv/docent/\u{E9}", "/srv/docent/e\u{301}", "/srv/docent/a/b",
            "/srv/docent/b/a", FilePath("/srv/docent/" + longest), FilePath("/srv/docent/a/" + longest),
        ]
        let placeholders = try documents.map { try context.placeholderURL(for: $0) }
        // By bytes: strings that are equivalent are different files.
        #expect(Set(placeholders.map { Array($0.string.utf8) }).count == documents.count)
        for placeholder in placeholders {
            #expect(placeholder.starts(with: context.documentStorageURL))
            #expect(placeholder.lastComponent.map { $0.string.utf8.count <= 255 } == true)
        }
    }

    @Test(
        "PH-3: outside the storage root there are no placeholders",
        arguments: ["/", "/srv/docent", "/srv/docent2/x", "/etc/passwd", "srv/docent/x", "/srv/docent/../x", ""]
    )
    func outside(_ path: String) throws {
        let context = try context()
        let error = #expect(throws: DocumentError.self) { try context.placeholderURL(for: FilePath(path)) }
        #expect(error?.code == .outsideStorageRoot)
    }

    @Test("PH-2: the placeholders' own folder holds no documents")
    func reserved() throws {
        let context = try context()
        #expect(throws: DocumentError.self) {
            try context.placeholderURL(for: "/srv/docent/.docent-placeholders/x")
        }
        #expect(throws: DocumentError.self) { try context.placeholderURL(for: "/srv/docent/.docent-placeholders") }
    }

    @Test("PROV-5, PROV-6: by default the identifier is the path, both ways", arguments: EndKind.allCases)
    func defaultMapping(over kind: EndKind) async throws {
        let script = ScriptedProvider.Script(item: { id in
            guard ["a.txt", "Reports/q3.pdf"].contains(id.rawValue) else { throw ScriptedProvider.noItem(id) }
            return try Item.document(id.rawValue)
        })
        try await ProviderFixture.with(script, over: kind) { host async throws in
            for path in ["a.txt", "Reports/q3.pdf"] {
                let id = try ItemIdentifier(path)
                #expect(try await host.ask(.identifierForPath(path)) == .identifierForPath(id))
                #expect(try await host.ask(.pathForIdentifier(id)) == .pathForIdentifier(path))
            }
            #expect(try await host.ask(.identifierForPath("")) == .identifierForPath(.root))
            #expect(try await host.ask(.pathForIdentifier(.root)) == .pathForIdentifier(""))
        }
    }

    @Test("ID-2: what is not there has neither path nor identifier, and other errors are not taken for that")
    func unknownItems() async throws {
        try await ProviderFixture.with(ScriptedProvider.Script()) { host async throws in
            let long = Array(repeating: "x", count: 3000).joined(separator: "/")
            let noIdentifier = ProviderReply.identifierForPath(nil)
            let noPath = ProviderReply.pathForIdentifier(nil)
            #expect(try await host.ask(.identifierForPath("nothing")) == noIdentifier)
            #expect(try await host.ask(.identifierForPath(long)) == noIdentifier)
            let nothing = try ItemIdentifier("nothing")
            #expect(try await host.ask(.pathForIdentifier(nothing)) == noPath)
        }
        let script = ScriptedProvider.Script(item: { _ in throw DocumentError(.serverUnreachable, "No route.") })
        try await ProviderFixture.with(script) { host async throws in
            #expect(await code { try await host.ask(.identifierForPath("a")) } == .serverUnreachable)
        }
    }

    @Test("contents are read and written whole, with progress, until somebody cancels")
    func transfers() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = folder.appending("file")
        try FileDescriptor.open(file, .writeOnly, options: .create, permissions: .ownerReadWrite).close()
        for size in [0, 1, 1_048_576, 2_500_001] {
            let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Transfer().write(contents, to: file)
            #expect(try Transfer().read(file) == contents)
        }
        let state = Transfer.State()
        let transfer = Transfer(state: state) { _ in }
        state.cancel()
        #expect(throws: CancellationError.self) { try transfer.write([1], to: file) }
        #expect(throws: CancellationError.self) { try transfer.read(file) }
        #expect(throws: Errno.noSuchFileOrDirectory) { try Transfer().write([1], to: folder.appending("other")) }
    }

    @Test("started by hand, a provider says what it is and how to use it")
    func introduction() {
        let text = ProviderProgram.introduction(program: "/usr/lib/docent/PhotoProvider")
        #expect(text.hasPrefix("PhotoProvider is a provider for Docent"))
        #expect(text.contains("docent domain add NAME --provider IDENTIFIER"))
    }
}
