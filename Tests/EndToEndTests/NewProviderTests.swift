import Foundation
import Glibc
import Testing

/// `docent provider new`: what it makes works at once.
@Suite(.timeLimit(.minutes(20)))
struct NewProviderTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized.path

    /// A machine with the templates beside its programs, as `scripts/install` lays them out.
    private func withTemplates(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            let laidOut = try machine.run(
                Self.sources + "/scripts/lib/templates.sh", [machine.folder + "/bin", Self.sources])
            #expect(laidOut.status == 0, "\(laidOut.errors)")
            try body(machine)
        }
    }

    private func must(_ result: Machine.Result, _ what: String) {
        #expect(result.status == 0, "\(what): \(result.output)\n\(result.errors)")
    }

    /// Nothing of the template's own names is left in a project.
    private func checkNames(_ project: String) throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: project)
        #expect(files.contains("README.md"))
        for file in files {
            #expect(!file.contains("MemoryProvider") && !file.contains("memory-provider"))
            guard let text = try? String(contentsOfFile: project + "/" + file, encoding: .utf8) else { continue }
            for word in [
                "MemoryProvider", "memory-provider", "org.example.memory", "DOCENT_DEPENDENCY", "DOCENT_PACKAGE",
                "Handbook in memory", "DocumentWire/Protos",
            ] {
                #expect(!text.contains(word), "\(file) still says \(word)")
            }
        }
    }

    /// What the kit is asked about a new provider: that it greets, lists, gives and takes. All of the kit's checks run on the
    /// examples that it is made from (scripts/lib/conformance.sh).
    private static let checks = ["HELLO", "LIST", "CREATE", "MODIFY", "DELETE"].flatMap { ["--check", "PC-\($0)-*"] }

    /// The kit's judgement of a bundle, and the host's.
    private func checkBundle(_ bundle: String, identifier: String, on machine: Machine) throws {
        let judged = try machine.run(
            Machine.programs + "/provider-conformance",
            ["run", "--mutating", "--quiet", "--patience", "4"] + Self.checks + ["--bundle", bundle],
            timeout: 600)
        must(judged, "provider-conformance")
        #expect(judged.output.contains(" passed"))

        try machine.succeed("domain", "add", "try", "--provider", identifier, "--set", "company=Acme")
        #expect(try machine.succeed("ls", "try:/").contains("Welcome.md"))
        #expect(try machine.succeed("cat", "try:/Welcome.md").hasPrefix("# Welcome to Acme"))
        try machine.succeed("edit", "try:/Welcome.md", "--with", "sh", "-c", "echo more >> '{}'")
        #expect(try machine.succeed("cat", "try:/Welcome.md").hasSuffix("more\n"))
    }

    @Test("a provider in Python passes the kit and works through the host as it is")
    func python() throws {
        try withTemplates { machine in
            let told = try machine.succeed("provider", "new", "myPhotos", "--language", "python")
            let project = machine.folder + "/work/myPhotos"
            #expect(told.contains("cd ") && told.contains(project))
            try checkNames(project)
            must(try machine.run(project + "/build", ["--install"]), "build")
            must(try machine.run("/usr/bin/python3", [project + "/tests/test_provider.py"]), "its tests")
            let bundle = machine.folder + "/home/.local/share/docent/providers/my-photos"
            #expect(FileManager.default.isExecutableFile(atPath: bundle + "/my-photos"))
            try checkBundle(project + "/bundle", identifier: "org.example.my-photos", on: machine)
        }
    }

    /// To build the package takes minutes (`scripts/check-template` does). What is in it is the example, which is
    /// built with the tests: the same source but for the name, which is compiled here once more, and its executable
    /// under the new name.
    @Test("a provider in Swift is the tested example under its own name, passes the kit and works through the host")
    func swift() throws {
        try withTemplates { machine in
            try machine.succeed("provider", "new", "photos", "--folder", machine.folder + "/work")
            let project = machine.folder + "/work/photos"
            try checkNames(project)
            let examples = Self.sources + "/Examples/MemoryProvider/"
            let sources = try FileManager.default.contentsOfDirectory(atPath: examples).filter {
                $0.hasSuffix(".swift")
            }
            #expect(sources.contains("MemoryProvider.swift"))
            for file in sources {
                let name = file.replacing("MemoryProvider", with: "PhotosProvider")
                let source = try String(contentsOfFile: project + "/Sources/PhotosProvider/" + name, encoding: .utf8)
                let example = try String(contentsOfFile: examples + file, encoding: .utf8)
                #expect(
                    source
                        == example.replacing("MemoryProvider", with: "PhotosProvider")
                        .replacing("memory-provider", with: "photos").replacing("Handbook in memory", with: "photos"))
            }
            let package = try String(contentsOfFile: project + "/Package.swift", encoding: .utf8)
            #expect(package.contains(".package(path: \"\(Self.sources)\")"))

            let bundle = machine.folder + "/home/.local/share/docent/providers/photos"
            try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: project + "/provider.toml", toPath: bundle + "/provider.toml")
            try FileManager.default.copyItem(
                atPath: Machine.programs + "/MemoryProvider", toPath: bundle + "/PhotosProvider")
            try checkBundle(bundle, identifier: "org.example.photos", on: machine)
        }
    }

    @Test("what is there is never overwritten, and a name that is none is wrong usage")
    func refusals() throws {
        try withTemplates { machine in
            let project = machine.folder + "/work/photos"
            mkdir(project, 0o700)
            try machine.write("mine", to: project + "/README.md")
            let there = try machine.docent("provider", "new", "photos")
            #expect(there.status == 1)
            #expect(there.errors.contains("is there already"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: project) == ["README.md"])
            #expect(machine.read(project + "/README.md") == "mine")

            #expect(try machine.docent("provider", "new", "../photos").status == 64)
            #expect(try machine.docent("provider", "new", "photos", "--language", "cobol").status == 64)
            let nowhere = try machine.docent("provider", "new", "other", "--folder", machine.folder + "/nowhere")
            #expect(nowhere.status == 1)
            #expect(nowhere.errors.contains("cannot be made"))
        }
    }

    @Test("without templates the command says what to do")
    func noTemplates() throws {
        try Machine.with { machine in
            let result = try machine.docent("provider", "new", "photos")
            #expect(result.status == 1)
            #expect(result.errors.contains("install Docent with scripts/install"))
        }
    }
}
