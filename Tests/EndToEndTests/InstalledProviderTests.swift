import Foundation
import Testing

@Suite(.serialized)
struct InstalledProviderTests {
    @Test("A provider that is installed where the README says works with the usual storage root, which is around it")
    func providerInTheUsualRoot() throws {
        // Empty is as if it were not set.
        try Machine.with(environment: ["DOCENT_ROOT": ""]) { machine in
            let bundle = machine.folder + "/home/.local/share/docent/providers/Greeting"
            let manager = FileManager.default
            try manager.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            for name in ["provider.toml", "GreetingProvider"] {
                try manager.copyItem(
                    atPath: Machine.programs + "/providers/GreetingProvider/" + name, toPath: bundle + "/" + name)
            }
            try machine.succeed("domain", "add", "hello", "--provider", "org.example.greeting")
            #expect(try machine.succeed("cat", "hello:/Hello.txt") == "Hello, reader.\n")
        }
    }

    @Test("The README's first provider and first host tool do what it says")
    func examples() throws {
        try Machine.with { machine in
            let bundle = machine.folder + "/home/.local/share/docent/providers/Greeting"
            let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            let manager = FileManager.default
            try manager.createDirectory(atPath: bundle, withIntermediateDirectories: true)
            try manager.copyItem(
                atPath: sources + "/Examples/GreetingProvider/provider.toml", toPath: bundle + "/provider.toml")
            try manager.copyItem(atPath: Machine.programs + "/GreetingProvider", toPath: bundle + "/GreetingProvider")
            try machine.succeed("domain", "add", "hello", "--provider", "org.example.greeting")
            #expect(try machine.succeed("ls", "hello:/").contains("Hello.txt"))
            #expect(try machine.succeed("cat", "hello:/Hello.txt") == "Hello, reader.\n")
            let edit = try machine.docent("edit", "hello:/Hello.txt", "--with", "sh", "-c", "echo x >> '{}'")
            #expect(edit.status == 1)
            #expect(try machine.succeed("cat", "hello:/Hello.txt") == "Hello, reader.\n")

            try machine.write("two two\n", to: machine.remote + "/two.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let count = try machine.run(
                Machine.programs + "/WordCount", ["hello:/Hello.txt", "work:/two.txt"])
            #expect(count.output == "2 hello:/Hello.txt\n2 work:/two.txt\n", "\(count.errors)")
        }
    }
}
