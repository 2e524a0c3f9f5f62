import DocumentModel
import ProviderLauncher
import Testing

@Suite("A provider's manifest")
struct ManifestTests {
    /// The least that is accepted; tests add to it or replace lines of it.
    static let least: [String: String] = [
        "identifier": "\"org.example.photos\"", "name": "\"Photos\"", "executable": "\"PhotosProvider\"",
        "modes": "[\"open\"]",
    ]

    /// - Parameter changes: an empty value takes the line away.
    static func text(_ changes: [String: String] = [:], tables: String = "") -> String {
        var lines = least
        for (key, value) in changes { lines[key] = value }
        return lines.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0) = \($1)" }.joined(
            separator: "\n") + "\n" + tables
    }

    static func problem(_ text: String) -> String? {
        do {
            _ = try Manifest(text: text, file: "F")
            return nil
        } catch {
            #expect(error.code == .notConfigured)
            let prefix = "The manifest “F” cannot be used: "
            guard error.message.hasPrefix(prefix), error.message.hasSuffix(".") else { return "? " + error.message }
            return String(error.message.dropFirst(prefix.count).dropLast())
        }
    }

    @Test(
        "what would end the process within the parser is refused before (found by fuzzing)",
        arguments: [
            "[[.settings]]", "[.settings]", "[\n]", "[=]", " \t[ [.a]]", "[[ =]]", "\r[.a]", "[{}]", "[ä]", "\u{A0}[.]",
            "a = [}", "a = [ # b\n }]", "a = [1,}", "a = }", "a = [\u{2028}]", "a = \"\"\"\n\"\"\"\n[.a]",
            "a = '''\\'''\n[.a]", "a = \"\\\"\"\n[.a]", "# \"\n[.a]", "a = ''\n[.a]",
        ])
    func whatTheParserCannotTake(_ text: String) {
        #expect(Self.problem(Self.text(tables: text))?.contains(" is not TOML: a ") == true)
    }

    @Test(
        "texts in quotes and comments may hold what they like",
        arguments: ["'[}, [.a] ä'", "\"\\\"[} \"", "\"x\" # [} ä\n# [.a]", "\"\" # \""])
    func textsInQuotes(_ value: String) {
        let problem = Self.problem(Self.text(["version": value]))
        #expect(problem == nil)
    }

    @Test(
        "the lines of a long text are not taken for tables",
        arguments: ["\"\"\"\n[.a] [} ä\"\"\"", "'''\n[.a]\n[}'''", "\"\"\"a\"\"\"\"\"", "\"\"\"\\\n  [.a]\"\"\""])
    func longTexts(_ value: String) {
        #expect(Self.problem(Self.text(["version": value])) == nil)
    }

    @Test("a byte order mark hides no table without a name")
    func namelessTableAtTheStart() {
        #expect(Self.problem("\u{FEFF}[.a]") == "line 1 is not TOML: a table has no name")
    }

    @Test(
        "tables with names are what they were", arguments: ["[ permissions ]", "[permissions]\n", "[\"permissions\"]"])
    func namedTables(_ header: String) {
        #expect(Self.problem(Self.text(tables: header)) == nil)
    }

    @Test func theLeastManifestGetsTheDefaults() throws {
        let manifest = try Manifest(text: Self.text(), file: "F")
        #expect(manifest.identifier.rawValue == "org.example.photos")
        #expect(manifest.types == [.content])
        #expect(manifest.protocolVersions == [1])
        #expect(manifest.hasFileHalf)
        #expect(manifest.capabilities.isEmpty)
        #expect(manifest.settings.isEmpty && manifest.arguments.isEmpty && manifest.sha256 == nil)
        #expect(manifest.deadlines == Manifest.Deadlines())
    }

    @Test("Rule 60: every field of a manifest is read")
    func everyFieldIsRead() throws {
        let text = """
            identifier = "org.example.photos"
            name = "Photos"
            version = "2.1"
            executable = "/usr/lib/photos/provider"
            arguments = ["--serve", "x y"]
            protocol-versions = [1, 2]
            modes = ["import", "open", "export", "move"]
            types = ["public.image", "com.adobe.pdf"]
            capabilities = ["modifying", "changes"]
            file-half = true
            sha256 = "\(String(repeating: "aB", count: 32))"

            [[settings]]
            key = "folder"
            type = "path"
            required = true
            description = "where they are"

            [[settings]]
            key = "port"
            type = "integer"
            default = 8080

            [[settings]]
            key = "thumbnails"
            type = "boolean"
            default = false

            [[settings]]
            key = "album"
            default = "All"

            [permissions]
            read = ["/usr/share/photos"]
            write = ["{folder}/out"]
            execute = ["/opt/photos"]
            connect = [443, "{port}"]

            [limits]
            memory = 256
            open-files = 100
            processes = 4

            [deadlines]
            start = 20
            metadata = 40
            mutation = 50
            contents = 120
            """
        let manifest = try Manifest(text: text, file: "F")
        #expect(manifest.version == "2.1")
        #expect(manifest.arguments == ["--serve", "x y"])
        #expect(manifest.protocolVersions == [1, 2])
        #expect(manifest.modes == Set(PickerMode.allCases))
        #expect(manifest.types.map(\.identifier) == ["public.image", "com.adobe.pdf"])
        #expect(manifest.capabilities == [.modifying, .changes])
        #expect(manifest.sha256 == String(repeating: "ab", count: 32))
        #expect(manifest.settings.map(\.key) == ["folder", "port", "thumbnails", "album"])
        #expect(manifest.settings.map(\.type) == [.path, .integer, .boolean, .string])
        #expect(manifest.settings.map(\.defaultValue) == [nil, "8080", "false", "All"])
        #expect(manifest.permissions.connect == ["443", "{port}"])
        #expect(manifest.deadlines.start == .seconds(20) && manifest.deadlines.contents == .seconds(120))
        #expect(
            manifest.permissionSentences == [
                "May read and change: “/out” in the folder you give as “folder”.",
                "May read: “/usr/share/photos”, and all that is in it.",
                "May read and run: “/opt/photos”, and all that is in it.",
                "May connect to any computer, by TCP, at port 443, the port you give as “port”; and look up names (port 53).",
                "May start other programs, up to 4 at a time.",
                "May use up to 256 MiB of memory and 100 open files, each of its processes.",
            ])
        let resolved = manifest.permissions.resolved(settings: ["folder": "/home/ann/photos"])
        #expect(resolved.write == ["/home/ann/photos/out"])
        #expect(manifest.permissions.fixedPlaces == ["/opt/photos", "/usr/share/photos"])
        #expect(resolved.connect == ["443"], "a setting without a value grants nothing")
    }

    @Test func aManifestWithoutPermissionsSaysSo() throws {
        let manifest = try Manifest(text: Self.text(), file: "F")
        #expect(
            manifest.permissionSentences == [
                "May not use any files of yours.", "May not use the network.", "May not start other programs.",
                "May use up to 1024 MiB of memory and 1024 open files.",
            ])
    }

    /// One change to the least manifest, and the end of the sentence that it earns.
    static let refusals: [(changes: [String: String], tables: String, problem: String)] = [
        (["identifier": ""], "", "the key “identifier” is missing"),
        (["name": ""], "", "the key “name” is missing"),
        (["executable": ""], "", "the key “executable” is missing"),
        (["name": "\"\""], "", "“name” is empty"),
        (["name": "7"], "", "“name” must be a string in quotes"),
        (["name": "\"two\\nlines\""], "", "“name” must be one line of at most 200 bytes"),
        (
            ["identifier": "\"Photos\""], "",
            "“Photos” cannot be an identifier (write it like org.example.photos, in lower case)"
        ),
        (["executable": "\"../evil\""], "", "“executable” must be an absolute path, or a relative one without “..”"),
        (["executable": "\"a/../../b\""], "", "“executable” must be an absolute path, or a relative one without “..”"),
        (["executable": "\"/\""], "", "“executable” must be an absolute path, or a relative one without “..”"),
        (["arguments": "\"-x\""], "", "“arguments” must be a list of strings"),
        (["arguments": "[1]"], "", "“arguments” must be a list of strings"),
        (["modse": "[]"], "", "the key “modse” is not known; did you mean “modes”?"),
        (["colour": "\"red\""], "", "the key “colour” is not known"),
        (["modes": "[\"read\"]"], "", "“read” in “modes” is not known; there are import, open, export, move"),
        (["types": "[]"], "", "“types” is empty; leave it out for all documents (public.content)"),
        (
            ["types": "[\"a b\"]"], "",
            "“a b” in “types” is not a type identifier (write it like public.plain-text)"
        ),
        (
            ["capabilities": "[\"fly\"]"], "",
            "“fly” in “capabilities” is not known; there are modifying, changes, ranges, picker, sign-in, thumbnails, versions, quota"
        ),
        (["file-half": "1"], "", "“file-half” must be true or false"),
        (
            ["sha256": "\"abc\""], "",
            "“sha256” must be 64 hexadecimal digits, as sha256sum prints them"
        ),
        (["protocol-versions": "[]"], "", "“protocol-versions” is empty; this page of the protocol is version 1"),
        (
            ["protocol-versions": "[0]"], "",
            "“protocol-versions” must be a list of numbers from 1 to 4294967295"
        ),
        (
            ["protocol-versions": "[2, 3]"], "",
            "the provider speaks version 2, 3 of the protocol and this Docent speaks 1; install a newer Docent"
        ),
        ([:], "[permission]\n", "the key “permission” is not known; did you mean “permissions”?"),
        ([:], "[permissions]\nraed = []\n", "the key “raed” in [permissions] is not known; did you mean “read”?"),
        (
            [:], "[permissions]\nread = [\"photos\"]\n",
            "“photos” in “read” must be an absolute path without “..”, or begin with a setting: {folder}"
        ),
        (
            [:], "[permissions]\nwrite = [\"/a/../b\"]\n",
            "“/a/../b” in “write” must be an absolute path without “..”, or begin with a setting: {folder}"
        ),
        (
            [:], "[permissions]\nwrite = [\"{folder}\"]\n",
            "“{folder}” in “write” names no setting of type path"
        ),
        (
            [:], "[[settings]]\nkey = \"folder\"\ntype = \"path\"\n[permissions]\nwrite = [\"{folder}x\"]\n",
            "“{folder}x” in “write” must be an absolute path without “..”, or begin with a setting: {folder}"
        ),
        (
            [:], "[permissions]\nconnect = [0]\n",
            "“0” in “connect” must be a port from 1 to 65535, or a setting: {port}"
        ),
        (
            [:], "[permissions]\nconnect = [\"http\"]\n",
            "“http” in “connect” must be a port from 1 to 65535, or a setting: {port}"
        ),
        (
            [:], "[permissions]\nconnect = [\"{port}\"]\n",
            "“{port}” in “connect” names no setting of type integer or url"
        ),
        (
            [:], "[permissions]\nexecute = [\"python3\"]\n",
            "“python3” in “execute” must be an absolute path without “..”, or begin with a setting: {folder}"
        ),
        (
            [:], "[permissions]\nconnect = [\((1...33).map(String.init).joined(separator: ", "))]\n",
            "“connect” has 33 entries, and may have 32"
        ),
        ([:], "[limits]\nmemory = 1\n", "“memory” in [limits] must be a number from 16 to 65536"),
        ([:], "[limits]\nprocesses = 2000\n", "“processes” in [limits] must be a number from 0 to 1024"),
        (["permissions": "3"], "", "“permissions” must be a table, written [permissions]"),
        (["settings": "{}"], "", "“settings” must be a list of tables, written [[settings]]"),
        ([:], "[[settings]]\n", "the key “key” is missing in [[settings]] number 1"),
        (
            [:], "[[settings]]\nkey = \"Folder\"\n",
            "“Folder” cannot be a setting's key (use up to 64 lower-case letters, digits and “-”, beginning with a letter)"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\ntype = \"float\"\n",
            "the setting “a” has the unknown type “float”; there are string, integer, boolean, path, url"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\n[[settings]]\nkey = \"a\"\n",
            "the setting “a” is declared twice"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\nrequired = true\ndefault = \"x\"\n",
            "the setting “a” is required and has a default; remove one of the two"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\ntype = \"integer\"\ndefault = \"x\"\n",
            "the default of the setting “a” must be a whole number"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\ntype = \"path\"\ndefault = \"x\"\n",
            "the default of the setting “a” must be an absolute path"
        ),
        (
            [:], "[[settings]]\nkey = \"a\"\nrequird = true\n",
            "the key “requird” in [[settings]] number 1 is not known; did you mean “required”?"
        ),
        ([:], "[deadlines]\nstart = 0\n", "“start” in [deadlines] must be a number from 1 to 3600"),
        ([:], "[deadlines]\nstrat = 3\n", "the key “strat” in [deadlines] is not known; did you mean “start”?"),
    ]

    @Test("Every refusal names the key and the remedy", arguments: refusals.indices)
    func refusal(_ index: Int) {
        let refusal = Self.refusals[index]
        #expect(Self.problem(Self.text(refusal.changes, tables: refusal.tables)) == refusal.problem)
    }

    @Test func textThatIsNotTOMLIsRefusedWithItsLine() throws {
        let problem = try #require(Self.problem("identifier = \"a.b\"\nname = \n"))
        #expect(problem.hasPrefix("line 2 is not TOML: "), "\(problem)")
        #expect(Self.problem("a = \"\u{0}\"") == "it contains a NUL byte")
    }

    @Test("PICK-11: no mode at all is refused")
    func noMode() {
        let problem = "“modes” is missing or empty; list at least one of import, open, export and move"
        #expect(Self.problem(Self.text(["modes": ""])) == problem)
        #expect(Self.problem(Self.text(["modes": "[]"])) == problem)
    }

    @Test("PICK-11: open and move without a file half are refused", arguments: ["open", "move"])
    func fileHalf(mode: String) {
        #expect(
            Self.problem(Self.text(["modes": "[\"import\", \"\(mode)\"]", "file-half": "false"]))
                == "the mode “\(mode)” needs a file half, and “file-half” is false; remove the mode or the line")
    }

    @Test("PICK-12: import and export need no file half")
    func pickerHalfOnly() throws {
        let manifest = try Manifest(
            text: Self.text(["modes": "[\"import\", \"export\"]", "file-half": "false"]), file: "F")
        #expect(!manifest.hasFileHalf)
    }

    @Test("PICK-13: a drop box that lists export only is offered for nothing else")
    func dropBox() throws {
        let manifest = try Manifest(text: Self.text(["modes": "[\"export\"]"]), file: "F")
        #expect(manifest.isOffered(for: .export, types: [.plainText]))
        for mode in [PickerMode.import, .open, .move] {
            #expect(!manifest.isOffered(for: mode, types: [.plainText]))
        }
    }

    @Test("PICK-10: a provider is offered when its mode is listed and a type fits")
    func offering() throws {
        let manifest = try Manifest(
            text: Self.text(["modes": "[\"open\", \"export\"]", "types": "[\"public.text\"]"]), file: "F")
        #expect(manifest.isOffered(for: .export, types: [.plainText]), "plain text is a kind of text")
        #expect(!manifest.isOffered(for: .export, types: [.data]), "data need not be text")
        #expect(manifest.isOffered(for: .open, types: [.data]), "text is a kind of data, so there may be some")
        #expect(manifest.isOffered(for: .open, types: [try ContentType("com.adobe.pdf"), .plainText]))
        #expect(!manifest.isOffered(for: .open, types: [try ContentType("public.png")]))
        #expect(!manifest.isOffered(for: .import, types: [.plainText]), "the mode is not listed")
    }
}
