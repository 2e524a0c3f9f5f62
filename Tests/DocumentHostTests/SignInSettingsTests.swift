import DocumentModel
import ProviderLauncher
import Testing

@testable import DocumentHost

struct SignInSettingsTests {
    private let manifest: Manifest
    private var kinds: SignInSettings { SignInSettings(manifest) }

    init() throws {
        manifest = try Manifest(
            text: """
                identifier = "org.example.server"
                name = "Server"
                executable = "Server"
                protocol-versions = [1]
                modes = ["open"]
                types = ["public.content"]

                [[settings]]
                key = "url"
                type = "url"
                required = true

                [[settings]]
                key = "user"
                sign-in = "password"

                [[settings]]
                key = "password"
                sign-in = "password"
                secret = true

                [[settings]]
                key = "token"
                sign-in = "token"
                secret = true

                [[settings]]
                key = "pin"
                secret = true
                """, file: "F")
    }

    @Test("What is secret, and what goes with it, is kept apart from a domain's other settings")
    func apart() {
        let all = ["url": "https://example.org/", "user": "ann", "password": "p", "pin": "1"]
        #expect(kinds.those(of: all) == ["user": "ann", "password": "p", "pin": "1"])
        #expect(kinds.others(of: all) == ["url": "https://example.org/"])
        #expect(kinds.shown(of: all) == ["url": "https://example.org/", "user": "ann"])
        #expect(!kinds.isMissing(from: all) && !kinds.isMissing(from: [:]))
    }

    @Test("Who gives a new password is who they were; with a token there is no user any more")
    func credentials() throws {
        let known = ["user": "ann", "password": "old", "pin": "1"]
        #expect(try kinds.credentials(given: ["password": "new"], known: known) == ["user": "ann", "password": "new"])
        #expect(try kinds.credentials(given: ["token": "t"], known: known) == ["token": "t"])
        #expect(try kinds.credentials(given: ["pin": "2"], known: known) == ["user": "ann", "pin": "2"])
        #expect(kinds.isSomebodyElse(["token": "t"], than: known))
        #expect(kinds.isSomebodyElse(["user": "bob", "password": "old"], than: known))
        #expect(!kinds.isSomebodyElse(["user": "ann", "password": "new"], than: known))
        #expect(!kinds.isSomebodyElse(["user": "ann"], than: [:]))
    }

    @Test("What is not for signing in is refused by name, and so is nothing")
    func refused() {
        let other = #expect(throws: DocumentError.self) { try kinds.credentials(given: ["url": "x"], known: [:]) }
        #expect(other?.code == .invalidArgument && other?.message.contains("“url”") == true)
        let nothing = #expect(throws: DocumentError.self) { try kinds.credentials(given: [:], known: [:]) }
        #expect(nothing?.code == .invalidArgument && nothing?.message.contains("“password”") == true)
    }
}
