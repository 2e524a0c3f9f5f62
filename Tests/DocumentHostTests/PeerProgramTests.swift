import CDocentShims
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What the kernel tells of a connected process' program.
@Suite struct PeerProgramTests {
    /// A program that waits, in a file of its own.
    private func withProgram(_ body: (ChildProcess, FilePath) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let program = folder.appending("waiting")
        let copied = try await ChildProcess.with(
            "/bin/cp", arguments: ["/bin/sleep", program.string], environment: [:]
        ) { try await $0.exitStatus(within: .seconds(20)) }
        try #require(copied == 0)
        try await ChildProcess.with(program, arguments: ["600"], environment: [:]) { try await body($0, program) }
    }

    private func program(_ child: ChildProcess) -> ToolProgram {
        let process = docent_open_process(child.processID)
        defer { close(process) }
        return PeerProgram.program(of: child.processID, process)
    }

    private func file(_ path: FilePath) -> ProgramFile? {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        return ProgramFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    @Test("CONT-2: a process is known by the file that it runs, also when that was removed or replaced since")
    func programs() async throws {
        try await withProgram { child, path async throws in
            let running = try #require(file(path))
            #expect(program(child) == .known(path: path.string, file: running))
            #expect(unlink(path.string) == 0)
            #expect(program(child) == .known(path: path.string + " (deleted)", file: running))
            try TemporaryFile.write("another one", to: path)
            #expect(program(child) == .known(path: path.string + " (deleted)", file: running))
            #expect(file(path) != running)
        }
    }

    @Test("CONT-2: a process that has ended is nobody, so that its number's next owner is not taken for it")
    func ended() async throws {
        try await withProgram { child, _ async throws in
            let process = docent_open_process(child.processID)
            defer { close(process) }
            kill(child.processID, SIGKILL)
            #expect(try await child.exitStatus(within: .seconds(20)) == -SIGKILL)
            guard case .unknown = PeerProgram.program(of: child.processID, process) else {
                Issue.record("it is known")
                return
            }
            // A descriptor of a process that has ended, and a number that somebody has: ours.
            guard case .unknown(let reason) = PeerProgram.program(of: getpid(), process) else {
                Issue.record("the number's owner is taken for it")
                return
            }
            #expect(reason.contains("has ended"))
        }
    }

    @Test("CONT-2: the kernel says who has made a connection, also when the descriptor was handed on")
    func sockets() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let own = try #require(file("/proc/self/exe"))
        let process = PeerProcess(of: FileDescriptor(rawValue: ends[0]), processID: getpid())
        guard case .known(_, let found) = process.program else {
            Issue.record("not known")
            return
        }
        #expect(found == own)
    }

    @Test("CONT-2: a program that gives no answer, as on a network that is gone, is nobody's, and others are known")
    func silent() async {
        let gone = Gone()
        defer { gone.comeBack() }
        let programs = PeerPrograms()
        for _ in 0..<3 {
            let found = await programs.program(of: 7, within: .milliseconds(20)) { gone.program() }
            guard case .unknown(let reason) = found else {
                Issue.record("\(found)")
                return
            }
            #expect(reason.contains("process 7 gives no answer"))
        }
        let other = ToolProgram.known(path: "/bin/tool", file: ProgramFile(device: 1, inode: 2))
        let found = await programs.program(of: 8, within: .seconds(60)) { other }
        #expect(found == other)
    }

    /// A place that answers nothing.
    private final class Gone: Sendable {
        private let isBack = Mutex(false)

        func comeBack() { isBack.withLock { $0 = true } }

        func program() -> ToolProgram {
            while !isBack.withLock({ $0 }) { usleep(1000) }
            return .unknown(reason: "It is back.")
        }
    }
}
