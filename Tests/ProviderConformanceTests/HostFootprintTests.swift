import DocumentTestSupport
import Glibc
import ProviderConformance
import SystemPackage
import Testing

@Suite("What a host holds of the machine", .timeLimit(.minutes(1)))
struct HostFootprintTests {
    @Test("§6.45: what a process starts is found by its parents, wherever its program lies, and also when it has ended")
    func descendants() async throws {
        // A shell that does not take in its child, which has ended, and waits with another one, which has one, too.
        let script = "sleep 0 & sh -c 'sleep 600; true' & exec sleep 600"
        try await ChildProcess.with("/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"]) {
            child in
            defer { for entry in HostFootprint.descendants(of: [child.processID]) { kill(entry.id, SIGKILL) } }
            try await look(child.processID)
        }
        #expect(HostFootprint.descendants(of: []).isEmpty)
    }

    private func look(_ id: Int32) async throws {
        let found = try await eventually(within: .seconds(20)) {
            let words = HostFootprint.descendants(of: [id]).map { $0.words.joined(separator: " ") }
            return words.count == 3 && words.contains("sleep 600")
                && words.contains("sh -c sleep 600; true") && words.contains { $0.hasPrefix("sleep (has ended") }
        }
        #expect(found, "\(HostFootprint.descendants(of: [id]))")
        let footprint = HostFootprint(of: id, below: "/no/such/folder")
        #expect(footprint.providers.count == 3)
    }
}
