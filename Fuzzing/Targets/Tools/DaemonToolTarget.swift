import Dispatch

/// The daemon – connection, handler, host, coordination – whatever a tool asks of it and however its presenters answer:
/// the tool's connection ends, and nothing that it held stays held.
enum DaemonToolTarget: FuzzTarget {
    static let name = "daemon-tool"

    private static let host = Result { try FuzzedHost() }

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let host: FuzzedHost
        do {
            host = try Self.host.get()
        } catch {
            throw FuzzFinding("The host could not be made: \(error)")
        }
        let outcome = Outcome()
        Task(executorPreference: host.loop) {
            outcome.complaint = await host.play(ToolScript(input))
            outcome.hasEnded.signal()
        }
        try require(outcome.hasEnded.wait(timeout: .now() + 20) == .success, "The tool's connection does not end.")
        if let complaint = outcome.complaint { throw FuzzFinding(complaint) }
    }
}

/// Written before the signal, and read after it.
final class Outcome: @unchecked Sendable {
    let hasEnded = DispatchSemaphore(value: 0)
    var complaint: String?
}
