import DocumentModel
import DocumentTestSupport
import Glibc
import ProviderLauncher
import SystemPackage
import Testing

/// What host tools say of themselves.
@Suite struct ToolManifestTests {
    private static let whole = """
        identifier = "org.example.notes"
        name = "Notes"
        executable = "notes"
        containers = ["ABCDE12345.org.example.notes", "ABCDE12345.*"]
        key-value = "ABCDE12345.org.example.notes"
        domains = ["work"]
        read-domains = ["archive"]

        [[public-containers]]
        container = "ABCDE12345.org.example.notes"
        name = "Notes"
        folders = "one"
        """

    private func tool(_ text: String) throws -> ToolDescription {
        try ToolManifest.tool(text: text, file: "tool.toml", folder: "/opt/notes")
    }

    private func message(_ text: String) -> String {
        do {
            return "no error: \(try tool(text))"
        } catch {
            return (error as? DocumentError)?.message ?? "\(error)"
        }
    }

    @Test("CONT-1, CONT-2, CONT-6: a manifest names the program, containers, settings, domains and what is public")
    func whole() throws {
        let tool = try tool(Self.whole)
        #expect(
            tool.id.rawValue == "org.example.notes" && tool.name == "Notes" && tool.executable == "/opt/notes/notes")
        #expect(tool.entitlements.containers.map(\.description) == ["ABCDE12345.org.example.notes", "ABCDE12345.*"])
        #expect(tool.entitlements.keyValueIdentifier?.rawValue == "ABCDE12345.org.example.notes")
        #expect(tool.entitlements.domains == [try DomainName("work"): .writing, try DomainName("archive"): .reading])
        #expect(
            tool.publicContainers == [
                PublicContainer(
                    identifier: try ContainerIdentifier("ABCDE12345.org.example.notes"), name: "Notes",
                    folderLevels: .one)
            ])
    }

    @Test("CONT-1: a manifest whose first container has a wildcard, or that has one without a team, is refused")
    func containers() {
        let start = "identifier = \"org.example.notes\"\nname = \"Notes\"\nexecutable = \"/opt/notes\"\n"
        #expect(message(start + "containers = [\"ABCDE12345.*\"]").contains("cannot have a wildcard"))
        #expect(message(start + "containers = [\"org.example.notes\"]").contains("a team of 10 capital letters"))
        #expect(message(start + "containers = [\"ABCDE12345.a\", \"*\"]").contains("is not a pattern for containers"))
        #expect(message(start + "key-value = \"notes\"").contains("is not a container's identifier"))
    }

    @Test("A manifest that makes no sense is refused, with what is wrong")
    func nonsense() {
        let start = "identifier = \"org.example.notes\"\nname = \"Notes\"\nexecutable = \"/opt/notes\"\n"
        #expect(message("") == "The manifest “tool.toml” cannot be used: the key “identifier” is missing.")
        #expect(message(start + "container = []").contains("did you mean “containers”?"))
        #expect(message(start + "domains = [\"work\"]\nread-domains = [\"work\"]").contains("“work” is named twice"))
        #expect(message(start + "domains = [\"no spaces\"]").contains("cannot be a domain's name"))
        #expect(
            message(start.replacing("/opt/notes", with: "../notes")).contains("a relative one without “..”"))
        #expect(
            message(start + "[[public-containers]]\ncontainer = \"ABCDE12345.a\"\nname = \"A\"").contains(
                "is not one of its containers"))
        #expect(
            message(
                start
                    + "containers = [\"ABCDE12345.a\"]\n[[public-containers]]\ncontainer = \"ABCDE12345.a\"\nname = \"A\"\nfolders = \"two\""
            ).contains("there are none, one and any"))
    }

    /// A folder with a manifest and a program in it.
    private func withTool(
        _ program: [UInt8] = [0x7F] + "ELF and more".utf8, named name: String = "notes", mode: mode_t = 0o755,
        _ body: (FilePath) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.file(
            "tool.toml", "identifier = \"org.example.notes\"\nname = \"Notes\"\nexecutable = \"\(name)\"\n")
        let path = folder.path.appending(name)
        let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWriteExecute)
        _ = try file.closeAfter { try file.writeAll(program) }
        #expect(chmod(path.string, mode) == 0)
        try body(manifest)
        withExtendedLifetime(folder) {}
    }

    private func refusal(_ manifest: FilePath) -> String {
        do throws(DocumentError) {
            return "no error: \(try ToolManifest.read(at: manifest).tool)"
        } catch {
            return error.message
        }
    }

    @Test(
        "A tool is a program that the kernel can tell from others: no script, and nothing that runs whatever it is given"
    )
    func programs() throws {
        try withTool { manifest in
            let (text, tool) = try ToolManifest.read(at: manifest)
            #expect(text.contains("org.example.notes"))
            #expect(tool.executable == manifest.removingLastComponent().appending("notes").string)
        }
        try withTool(Array("#!/bin/sh\n".utf8)) { #expect(refusal($0).contains("is a script or no program")) }
        try withTool([]) { #expect(refusal($0).contains("is a script or no program")) }
        for name in ["python3.11", "bash", "node", "perl5.36", "busybox", "sh"] {
            try withTool(named: name) { #expect(refusal($0).contains("runs whatever it is given"), "\(name)") }
        }
        try withTool(named: "shop") { _ = try ToolManifest.read(at: $0) }
    }

    @Test("A program or a manifest that others can change is refused")
    func trust() throws {
        try withTool(mode: 0o757) { #expect(refusal($0).contains("can be changed by other users")) }
        try withTool { manifest in
            #expect(chmod(manifest.string, 0o646) == 0)
            #expect(refusal(manifest).contains("can be changed by other users"))
        }
        try withTool { manifest in
            try TemporaryFile.write(String(repeating: "# long\n", count: 20_000), to: manifest)
            #expect(refusal(manifest).contains("it is too long"))
        }
        #expect(refusal("/nowhere/tool.toml").contains("cannot be reached"))
    }
}
