import Dispatch
import DocumentTransport
import Synchronization

/// The host's side of a provider – session, handlers, follower, storage – whatever the provider answers, asks and tells:
/// each call of a caller gets one end, what is listed has a proper name and place, contents are whole, and what a caller
/// wrote is not lost.
///
/// The input: see ``DomainScript``.
enum DomainProviderTarget: FuzzTarget {
    static let name = "domain-provider"

    /// A host takes so many inputs, each one finding what the one before it has left, as a host does from process to
    /// process of a provider; then there is a new one, so that none grows without end.
    private static let inputsEach = 200

    private struct Lodging {
        var domain: FuzzedDomain?
        var inputs = 0
    }

    private static let loop = EventLoop(name: "fuzzed-domain")
    private static let lodging = Mutex(Lodging())

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let script = DomainScript(input)
        let outcome = Outcome()
        Task(executorPreference: loop) {
            do {
                outcome.complaint = await (try await domain()).play(script)
            } catch {
                outcome.complaint = "The host could not be made: \(error)"
            }
            outcome.hasEnded.signal()
        }
        try require(outcome.hasEnded.wait(timeout: .now() + 300) == .success, "The domain does not come to rest.")
        if let complaint = outcome.complaint { throw FuzzFinding(complaint) }
    }

    private static func domain() async throws -> FuzzedDomain {
        let (current, old) = lodging.withLock { lodging -> (FuzzedDomain?, FuzzedDomain?) in
            lodging.inputs += 1
            guard lodging.inputs > inputsEach else { return (lodging.domain, nil) }
            defer { lodging = Lodging(inputs: 1) }
            return (nil, lodging.domain)
        }
        if let current { return current }
        await old?.end()
        let new = try FuzzedDomain(loop: loop)
        lodging.withLock { $0.domain = new }
        return new
    }
}
