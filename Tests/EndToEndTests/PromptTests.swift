import Foundation
import Testing

/// A provider that asks whoever signs in, through the whole product, at a terminal.
@Suite(.serialized) struct PromptTests {
    private static let code = "the-code-4711"
    private static let token = "t0ken-of-4711"

    private func withPrompting(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.installPythonProvider("PromptingProvider")
            try body(machine)
        }
    }

    /// Files below the root that a word is in.
    private func holders(of word: String, _ machine: Machine) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: machine.root).filter { path in
            FileManager.default.contents(atPath: machine.root + "/" + path)?.range(of: Data(word.utf8)) != nil
        }
    }

    @Test(
        "AUTH-2, AUTH-5, PICK-18: a provider asks whoever signs in with docent login, nobody else, and keeps its token in the secret store, for that domain alone, until the sign-out"
    )
    func prompted() throws {
        try withPrompting { machine in
            let added = try machine.docent("domain", "add", "p", "--provider", "org.example.prompting")
            #expect(added.status == 0 && added.errors.contains("docent login p"), "\(added.errors)")
            // Without a terminal there is nobody to ask.
            let unasked = try machine.docent("login", "p")
            #expect(unasked.status == 1 && unasked.errors.contains("was not answered"), "\(unasked.errors)")

            try TmuxTerminal.with(machine, columns: 200) { terminal in
                try signIn(terminal, code: "wrong-code-1")
                try terminal.wait(for: "That is not the code that was sent.")
                // As long as anybody needs: longer than the provider may take for an answer.
                try signIn(terminal, code: Self.code, after: 3)
                try terminal.wait(for: "You are signed in to p.")
                #expect(try !terminal.screen().contains(Self.code), "what is secret is not shown")
            }
            #expect(try machine.succeed("ls", "p:/").contains("Welcome.md"))
            try machine.succeed("host", "stop")
            #expect(try machine.succeed("ls", "p:/").contains("Welcome.md"), "the token outlives host and provider")
            for secret in [Self.code, Self.token, "wrong-code-1"] {
                #expect(try holders(of: secret, machine).isEmpty, "\(secret)")
                #expect(!machine.logTail.contains(secret), "\(secret)")
            }

            // Another domain's provider is not given it, though it is the same program.
            _ = try machine.docent("domain", "add", "q", "--provider", "org.example.prompting")
            let other = try machine.docent("ls", "q:/")
            #expect(other.status == 1 && other.errors.contains("docent login q"), "\(other.errors)")

            try machine.succeed("logout", "p")
            let listed = try machine.docent("ls", "p:/")
            #expect(listed.status == 1 && listed.errors.contains("docent login p"), "\(listed.errors)")
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/.docent/secrets/p"))
        }
    }

    private func signIn(_ terminal: TmuxTerminal, code: String, after seconds: UInt32 = 0) throws {
        try terminal.command("clear; docent login p")
        try terminal.wait(for: "Handbook behind a code (org.example.prompting) asks:")
        try terminal.wait(for: "Go to: https://example.org/code")
        try terminal.wait(for: "Your name:")
        if seconds > 0 { sleep(seconds) }
        try terminal.command("Ann")
        try terminal.wait(for: "The code from your telephone:")
        try terminal.command(code)
    }
}
