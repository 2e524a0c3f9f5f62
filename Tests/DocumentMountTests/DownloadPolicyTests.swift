import DocumentModel
import DocumentMount
import Foundation
import Testing

/// Who may have documents brought.
@Suite struct DownloadPolicyTests {
    private let own = ProcessInfo.processInfo.processIdentifier

    private func denies(_ rules: String..., by asking: AskingProcess) throws -> Bool {
        try rules.contains { try DownloadRule($0).covers(asking) }
    }

    private func asking(
        _ executable: String? = "/usr/bin/python3.11", as name: String = "python3", user: UInt32 = 1000,
        in cgroups: [String] = []
    ) -> AskingProcess {
        AskingProcess(
            executable: executable, name: name, user: user,
            cgroups: cgroups.map { $0.split(separator: "/").map(String.init) })
    }

    @Test func aProcessIsKnownByItsExecutable() throws {
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let name = (path as NSString).lastPathComponent
        let rules = try [name, path, name + "x"].map(DownloadRule.init)
        #expect(DownloadPolicy(denying: [.program("tumblerd"), rules[0]]).denies(own))
        #expect(DownloadPolicy(denying: [rules[1]]).denies(own))
        #expect(!DownloadPolicy(denying: [.program("tumblerd"), rules[2]]).denies(own))
        #expect(!DownloadPolicy().denies(own))
    }

    @Test func aProcessThatIsGoneIsNotDenied() {
        #expect(!DownloadPolicy(denying: [.program("tumblerd"), .program("")]).denies(-1))
    }

    @Test func aScriptIsKnownByItsName() throws {
        #expect(try denies("program indexer", by: asking(as: "indexer")))
        // Of which the kernel keeps 15 bytes.
        #expect(try denies("a-very-long-script-name", by: asking(as: "a-very-long-scr")))
        #expect(
            try !denies(
                "program a-very-long-script-name", by: asking("/bin/a-very-long-scripture", as: "a-very-long-scr")))
        #expect(try !denies("program /usr/bin/indexer", by: asking(as: "indexer")))
    }

    @Test func aUserIsKnownByNameAndNumber() throws {
        #expect(try denies("user 1000", by: asking()))
        #expect(try denies("user root", by: asking(user: 0)))
        #expect(try !denies("user root", "user 100", "user nobody-such", by: asking()))
    }

    @Test(
        "What runs in a control group, or below it, is known by it",
        arguments: [
            ("background.slice", true), ("app.slice/backup.service", true), ("backup.service", true),
            ("back*.service", true), ("*.slice", true), ("/user.slice", true), ("/user.slice/*/background.slice", true),
            ("service", false), ("/background.slice", false), ("background.slice/backup.service", false),
            ("a/b/c/d/e/f", false), ("*", true),
        ])
    func cgroup(_ rule: String, _ isDenied: Bool) throws {
        let one = asking(in: ["/", "/user.slice/user-1000.slice/background.slice/app.slice/backup.service"])
        #expect(try denies("cgroup \(rule)", by: one) == isDenied)
        #expect(try !denies("cgroup \(rule)", by: asking(in: ["/"])))
    }

    @Test func theControlGroupsOfARunningProcessAreSeen() throws {
        let text = try String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
        let lines = text.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)[2]
        }
        #expect(AskingProcess(own, user: nil).cgroups == lines.map { $0.split(separator: "/").map(String.init) })
    }

    @Test(arguments: ["", "  ", "programme tumblerd", "cgroup /"])
    func whatIsNoRuleIsRefused(_ text: String) throws {
        let error = try #require(throws: DocumentError.self) { try DownloadRule(text) }
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains("write “program NAME”, “user NAME” or “cgroup NAME”"))
    }

    @Test func theSettingsAreFollowedWhenTheyChange() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/docent-mount-deny-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let name = try #require(AskingProcess.program(own))
        let policy = DownloadPolicy(and: file)
        let following = Task { await policy.follow() }
        defer { following.cancel() }
        try policy.begin()
        #expect(!policy.denies(own))
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        func eventually(_ isDenied: Bool) async throws -> Bool {
            for _ in 0..<600 where policy.denies(own) != isDenied { try await Task.sleep(for: .milliseconds(50)) }
            return policy.denies(own) == isDenied
        }
        try write("# nobody\n\n  program \(name)  \r\n")
        #expect(try await eventually(true))
        // A mistake takes nothing back.
        try write("progam \(name)\n")
        try await Task.sleep(for: .seconds(3))
        #expect(policy.denies(own))
        let error = try #require(throws: DocumentError.self) { try policy.begin() }
        #expect(error.description.contains("\(file), line 1"))
        try write("program somebody-else\n")
        #expect(try await eventually(false))
        try policy.begin()
        // Nor does a file that cannot be read.
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        let unreadable = try #require(throws: DocumentError.self) { try policy.begin() }
        #expect(unreadable.code == .localStorage)
    }
}
