import Glibc
import SystemPackage
import Testing

@testable import DocumentMount

@Suite("What is mounted, and by whom")
struct MountTableTests {
    @Test("The last mount at a place counts; escapes, optional fields and rubbish are understood or left out")
    func parsing() throws {
        let table = MountTable(
            """
            36 35 98:0 /a /home/x rw,noatime shared:1 master:2 - ext4 /dev/root rw
            90 36 0:57 / /home/x/My\\040Docent rw,nosuid,nodev - fuse.docent docent:12:345 rw,user_id=0
            91 36 0:58 / /home/x/My\\040Docent rw - fuse.other other rw
            92 36 0:59 / /home/x/b\\0 rw - fuse.docent a\\134b rw
            93 36 0:60 / /no/dash
            - - -

            """)
        #expect(table.entries.count == 4)
        #expect(
            table.entries[1]
                == .init(device: "57", path: "/home/x/My Docent", type: "fuse.docent", source: "docent:12:345"))
        #expect(table.entry(at: "/home/x/My Docent")?.device == "58")
        #expect(table.entries[3].path == "/home/x/b\\0")
        #expect(table.entries[3].source == "a\\b")
        #expect(table.entry(at: "/nowhere") == nil)
        #expect(try MountTable.now().entry(at: "/proc")?.type == "proc")
    }

    @Test("A server that runs is not gone; one that ended, is a zombie, or whose number is another's, is")
    func servers() throws {
        let own = MountServer.own()
        #expect(!own.isGone)
        let read = try #require(MountServer(source: own.source))
        #expect(read == own)
        #expect(MountServer(source: "docent:\(own.process):\(own.started + 1)")?.isGone == true)
        var process = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
        defer { free(arguments[0]) }
        #expect(posix_spawnp(&process, "true", nil, nil, &arguments, environ) == 0)
        var information = siginfo_t()
        // Ended, and not collected.
        #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
        let text = try #require(Self.started(of: process))
        #expect(MountServer(source: "docent:\(process):\(text)")?.isGone == true)
        var status: Int32 = 0
        #expect(waitpid(process, &status, 0) == process)
        #expect(MountServer(source: "docent:\(process):\(text)")?.isGone == true)
    }

    @Test(
        "Other sources are none of ours",
        arguments: ["docent", "docent:", "docent:1", "docent:-1:2", "docent:0:2", "docent:x:2", "other:1:2"])
    func foreign(_ source: String) { #expect(MountServer(source: source) == nil) }

    private static func started(of process: pid_t) -> Substring? {
        guard let file = try? FileDescriptor.open("/proc/\(process)/stat", .readOnly) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = (try? file.closeAfter { try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }) ?? 0
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        return text.drop { $0 != ")" }.split(separator: " ").dropFirst(20).first
    }
}
