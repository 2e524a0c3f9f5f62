import DocumentModel
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// The registered tools, whose programs may lie anywhere.
@Suite struct ToolRegistryTests {
    private func tool(_ name: String) throws -> ToolDescription {
        ToolDescription(
            id: try ToolIdentifier("org.example.\(name)"), name: name, executable: "/\(name)",
            entitlements: try Entitlements())
    }

    @Test("CONT-2: a registered program that gives no answer, as on a network that is gone, keeps no tool waiting")
    func silent() async throws {
        let gate = Gate()
        defer { gate.isOpen = true }
        let (gone, here) = (ProgramFile(device: 1, inode: 7), ProgramFile(device: 1, inode: 8))
        let registry = ToolRegistry(ownPrograms: [], admitsUnregistered: true) { path in
            if path != "/gone" { return here }
            gate.pass()
            return gone
        }
        let tools = try [tool("gone"), tool("here")]
        for tool in tools { registry.add(tool) }
        let answered = await registry.registeredFiles(within: .seconds(60))
        #expect(answered == ["/gone": gone, "/here": here])
        gate.isOpen = false
        for _ in 0..<20 {
            let files = await registry.registeredFiles(within: .milliseconds(20))
            func standing(_ path: String, _ file: ProgramFile) -> ToolStanding {
                registry.standing(of: .known(path: path, file: file), registeredFiles: files)
            }
            #expect(standing("/here", here) == .registered(tools[1].id))
            // Under another name, too, it has the rights that it had before.
            #expect(standing("/linked", gone) == .registered(tools[0].id))
            #expect(standing("/other", ProgramFile(device: 1, inode: 9)) == .user)
        }
    }

    private final class Gate: Sendable {
        private let state = Mutex(true)

        var isOpen: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        func pass() {
            while !isOpen { usleep(1000) }
        }
    }
}
