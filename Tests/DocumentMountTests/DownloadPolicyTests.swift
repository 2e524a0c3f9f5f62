import DocumentMount
import Foundation
import Testing

/// Who may have documents brought.
@Suite struct DownloadPolicyTests {
    @Test func aProcessIsKnownByItsExecutable() throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let name = (own as NSString).lastPathComponent
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(DownloadPolicy(denying: ["tumblerd", name]).denies(process))
        #expect(!DownloadPolicy(denying: ["tumblerd", name + "x"]).denies(process))
        #expect(!DownloadPolicy().denies(process))
    }

    @Test func aProcessThatIsGoneIsNotDenied() {
        #expect(!DownloadPolicy(denying: ["tumblerd", ""]).denies(-1))
    }
}
