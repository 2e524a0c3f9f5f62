import DocumentTestSupport
import SystemPackage
import Testing

/// What providers in Python begin with, by itself.
@Suite(.timeLimit(.minutes(1)))
struct PythonLibraryTests {
    /// Threads ask the host side by side, and change as often as they can.
    private static let asking = """
        import sys, threading
        sys.dont_write_bytecode = True
        sys.path.insert(0, sys.argv[1])
        import docent_provider

        session = docent_provider.Session()
        sent = []

        def send(id, request):
            sent.append(id)
            event = session._asked[id]
            event[1] = docent_provider.wire.Frame(id=id, answer=docent_provider.wire.Answer())
            event[0].set()

        session.send = send
        sys.setswitchinterval(1e-6)

        def ask():
            for _ in range(300):
                session.write_placeholder(docent_provider.model.Item(id="a"))

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        sys.exit(0 if sent == list(range(2, 9602, 2)) else 1)
        """

    @Test("WIRE-19: ids grow in the order in which they go out, however many threads ask")
    func growingIDs() async throws {
        try await PythonRequirements.check()
        let folder = try BuiltProducts.packageFolder().appending("Examples/memory-provider-python").string
        let status = try await ChildProcess.with(
            "/usr/bin/python3", arguments: ["-c", Self.asking, folder], environment: Example.environment
        ) { child in
            let status = try await child.exitStatus(within: .seconds(50))
            #expect(child.errorText() == "")
            return status
        }
        #expect(status == 0)
    }
}
