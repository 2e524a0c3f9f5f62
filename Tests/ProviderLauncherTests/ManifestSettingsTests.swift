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

    @Test func anUndeclaredSettingIsNamedBesideTheDeclaredOnes() {
        #expect(
            problem(["folder": "/p", "foldr": "/q"])
                == "“foldr” is not a setting of Photos (org.example.photos); it knows “folder”, “port”, “hidden”, “album”."
        )
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
}
