import DocumentModel
import ProviderLauncher
import Testing

@Suite("A domain's settings")
struct ManifestSettingsTests {
    private let manifest: Manifest

    init() throws {
        manifest = try Manifest(
            text: ManifestTests.text(
                tables: """
                    [[settings]]
                    key = "folder"
                    type = "path"
                    required = true
                    description = "the folder with the photos"
                    [[settings]]
                    key = "port"
                    type = "integer"
                    default = 8080
                    [[settings]]
                    key = "hidden"
                    type = "boolean"
                    [[settings]]
                    key = "album"
                    """),
            file: "F")
    }

    private func problem(_ settings: [String: String]) -> String? {
        do {
            _ = try manifest.validate(settings: settings)
            return nil
        } catch {
            #expect(error.code == .invalidArgument)
            return error.message
        }
    }

    @Test func defaultsAreFilledInAndOptionalOnesStayAway() throws {
        #expect(try manifest.validate(settings: ["folder": "/p"]) == ["folder": "/p", "port": "8080"])
        #expect(
            try manifest.validate(settings: ["folder": "/p", "port": "+07", "hidden": "true", "album": "Été"])
                == ["folder": "/p", "port": "7", "hidden": "true", "album": "Été"])
    }

    @Test func aMissingSettingIsNamedWithItsDescription() {
        #expect(
            problem([:])
                == "Photos (org.example.photos) needs the setting “folder” (the folder with the photos): add --set folder=…"
        )
    }

    @Test("Rule 62: an undeclared setting is an error, and named beside the declared ones")
    func anUndeclaredSettingIsNamedBesideTheDeclaredOnes() {
        #expect(
            problem(["folder": "/p", "foldr": "/q"])
                == "“foldr” is not a setting of Photos (org.example.photos); it knows “folder”, “port”, “hidden”, “album”."
        )
    }

    @Test("A secret is a string without a default")
    func secrets() throws {
        func tables(_ lines: String) -> String { "[[settings]]\nkey = \"word\"\nsecret = true\n" + lines }
        let manifest = try Manifest(text: ManifestTests.text(tables: tables("required = true\n")), file: "F")
        #expect(manifest.settings.first?.isSecret == true)
        let error = #expect(throws: DocumentError.self) { try manifest.validate(settings: [:]) }
        #expect(error?.message.hasSuffix("add --set word=@FILE") == true)
        #expect(
            ManifestTests.problem(ManifestTests.text(tables: tables("type = \"path\"\n")))
                == "the setting “word” is secret and a path; only a string can be secret")
        #expect(
            ManifestTests.problem(ManifestTests.text(tables: tables("default = \"x\"\n")))
                == "the setting “word” is secret and has a default; remove one of the two")
    }

    @Test("A setting is for signing in when it is secret, or says for which way to sign in it is")
    func signIn() throws {
        func setting(_ key: String, _ lines: String) -> String { "[[settings]]\nkey = \"\(key)\"\n\(lines)\n" }
        let manifest = try Manifest(
            text: ManifestTests.text(
                tables: setting("user", "sign-in = \"password\"")
                    + setting("password", "sign-in = \"password\"\nsecret = true") + setting("token", "secret = true")
                    + setting("url", "")),
            file: "F")
        #expect(manifest.settings.map(\.signIn) == ["password", "password", nil, nil])
        #expect(manifest.settings.map(\.isForSignIn) == [true, true, true, false])
        for word in ["", "By Hand", "2fa", "Password", "a_b", String(repeating: "a", count: 65)] {
            let problem = ManifestTests.problem(
                ManifestTests.text(tables: setting("user", "sign-in = \"\(word)\"")))
            #expect(
                problem?.hasPrefix("“sign-in” of the setting “user” names a way to sign in: use up to 64") == true,
                "“\(word)”: \(problem ?? "accepted")")
        }
        #expect(ManifestTests.problem(ManifestTests.text(tables: setting("user", "sign-in = true"))) != nil)
    }

    @Test func aProviderWithoutSettingsTakesNone() throws {
        let bare = try Manifest(text: ManifestTests.text(), file: "F")
        #expect(try bare.validate(settings: [:]).isEmpty)
        #expect(
            throws: DocumentError(.invalidArgument, "“a” is not a setting of Photos (org.example.photos); it has none.")
        ) {
            try bare.validate(settings: ["a": "b"])
        }
    }

    @Test(
        "A value must be of its setting's type",
        arguments: [
            ("folder", "photos", "must be an absolute path without “..”"),
            ("folder", "~/photos", "must be an absolute path without “..”"),
            ("folder", "/a/../b", "must be an absolute path without “..”"),
            ("folder", "/a\u{0}b", "must be an absolute path without “..”"),
            ("folder", "", "must not be empty"),
            ("port", "eighty", "must be a whole number"),
            ("port", "8 0", "must be a whole number"),
            ("port", "99999999999999999999", "must be a whole number"),
            ("hidden", "yes", "must be true or false"),
            ("album", "two\nlines", "must be one line of text"),
        ])
    func wrongValue(key: String, value: String, words: String) {
        #expect(
            problem(["folder": "/p"].merging([key: value]) { $1 })
                == "The setting “\(key)” of Photos (org.example.photos) \(words).")
    }

    @Test("a setting of type url is an address without a secret in it, and stands for its port in “connect”")
    func urls() throws {
        let manifest = try Manifest(
            text: ManifestTests.text(
                tables: """
                    [[settings]]
                    key = "url"
                    type = "url"
                    required = true
                    [[settings]]
                    key = "proxy"
                    type = "url"
                    [permissions]
                    connect = ["{url}", "{proxy}", 99]
                    """),
            file: "F")
        func ports(_ url: String) -> [String]? {
            guard let settings = try? manifest.validate(settings: ["url": url]) else { return nil }
            return manifest.permissions.resolved(settings: settings).connect
        }
        #expect(ports("https://example.org/dav") == ["443", "99"])
        #expect(ports("HTTP://example.org") == ["80", "99"])
        #expect(ports("https://example.org:8443/a:1/b") == ["8443", "99"])
        #expect(ports("http://[2001:db8::1]/") == ["80", "99"] && ports("http://[::1]:81/") == ["81", "99"])
        for bad in [
            "", "example.org", "ftp://example.org/", "https://", "https:///a", "https://ann:secret@example.org/",
            "https://example.org:/", "https://example.org:0/", "https://example.org:65536/", "https://example.org:8x/",
            "https://:80/", "https://example.org/a b", "https://exämple.org/", "https://a\\@example.org/",
        ] { #expect(ports(bad) == nil, "\(bad)") }
        #expect(
            manifest.permissionSentences.contains(
                "May connect to any computer, by TCP, at the port of the address you give as “url”, the port of the address you give as “proxy”, port 99; and look up names (port 53)."
            ))
    }
}
