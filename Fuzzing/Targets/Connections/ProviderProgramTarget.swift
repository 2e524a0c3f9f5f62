import Dispatch
import DocumentModel
import DocumentProvider
import DocumentTransport
import DocumentWire
import Logging

/// A whole provider – SDK, connection, event loop – whatever its host sends: the session ends when the host's stream
/// does, what went out are whole frames, and no request got two final ones.
///
/// The input: the length of the slices, the host's stream.
enum ProviderProgramTarget: FuzzTarget {
    static let name = "provider-program"

    private static let loop = EventLoop(name: "provider")
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        var input = FuzzInput(input)
        let slice = Int(input.byte()) + 1
        let end = FuzzedEnd(Array(input.rest), slice: slice, loop: loop)
        let hasEnded = DispatchSemaphore(value: 0)
        Task(executorPreference: loop) {
            // That the host makes no sense is no finding; that the session never ends would be.
            _ = try? await ProviderSession.run(FuzzedProvider.self, over: end, loop: loop, logger: quiet)
            hasEnded.signal()
        }
        try require(hasEnded.wait(timeout: .now() + 20) == .success, "The session goes on without a host.")
        try OutgoingStream.check(end.written, expectsPreface: true)
    }
}
