import DocumentModel
import DocumentTestSupport
import ProviderConformance
import SystemPackage
import Testing

@Suite("The configuration file")
struct ConfigurationTests {
    private func read(_ text: String, ending: String = ".toml") async throws -> ConformanceConfiguration {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let path = folder.appending("configuration" + ending)
        try TemporaryFile.write(text, to: path)
        return try ConfigurationFile.read(path.string)
    }

    @Test("TOML and JSON say the same")
    func formats() async throws {
        let toml = """
            identifier = "org.example.photos"
            disabled = ["PC-IO-*"]
            expected-failures = "expected.toml"
            lanes = 4
            [settings]
            folder = "{work}/photos"
            [data]
            folders = ["a"]
            empty-folders = ["b"]
            container = "c"
            [[data.documents]]
            path = "a/b.txt"
            size = 3
            contents = "abc"
            [limits]
            start = 1.5
            request = 20
            [hooks]
            prepare = [["mkdir", "{work}/photos"]]
            clean-up = [["true"]]
            remote-away = ["mv", "a", "b"]
            """
        let json = """
            {"identifier": "org.example.photos", "disabled": ["PC-IO-*"], "expected-failures": "expected.toml",
             "lanes": 4, "settings": {"folder": "{work}/photos"},
             "data": {"folders": ["a"], "empty-folders": ["b"], "container": "c",
                      "documents": [{"path": "a/b.txt", "size": 3, "contents": "abc"}]},
             "limits": {"start": 1.5, "request": 20},
             "hooks": {"prepare": [["mkdir", "{work}/photos"]], "clean-up": [["true"]], "remote-away": ["mv", "a", "b"]}}
            """
        let one = try await read(toml)
        #expect(try await read(json, ending: ".json") == one)
        #expect(one.settings == ["folder": "{work}/photos"])
        #expect(one.data.documents == [.init(path: "a/b.txt", size: 3, contents: "abc")])
        #expect(one.limits.start == 1.5 && one.limits.request == 20 && one.limits.factor == 1)
        #expect(one.lanes == 4)
        #expect(one.hooks.remoteBack == nil && one.hooks.cleanUp == [["true"]])
        #expect(try await read("") == ConformanceConfiguration())
    }

    @Test(
        "What is misspelt or of the wrong type is said, and not ignored",
        arguments: [
            ("settigns = {}", "settigns"), ("[data]\nfolder = []", "folder"), ("[limits]\nstart = 0", "start"),
            ("[hooks]\nprepare = [\"true\"]", "prepare"), ("disabled = \"PC-*\"", "disabled"), ("x = ", "TOML"),
            ("[[data.documents]]\nsize = 3", "path"), ("lanes = 0", "lanes"), ("lanes = 17", "lanes"),
            ("[[.settings]]", "line 1"), ("identifier = \"a\"\ndisabled = [}]", "line 2"),
        ])
    func mistakes(text: String, word: String) async throws {
        let error = await #expect(throws: ConformanceUsageError.self) { try await read(text) }
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    @Test("A check that does not exist cannot be disabled")
    func disabled() async throws {
        await #expect(throws: ConformanceUsageError.self) {
            try await ConformanceFixture.run([ConformanceFixture.check(1) { _ in }]) {
                $0.configuration.disabled = ["PC-TEST-009"]
            }
        }
        let run = try await ConformanceFixture.run([
            ConformanceFixture.check(1) { _ in }, ConformanceFixture.check(2) { _ in },
        ]) { $0.configuration.disabled = ["PC-TEST-*2"] }
        #expect(run.report.results.map(\.outcome.state) == [.passed, .disabled])
    }
}
