import Dispatch
import DocumentClient
import DocumentModel
import DocumentTransport
import DocumentWire
import Logging

/// A host tool with presenters – connection and desk – whatever the daemon asks and tells it: each request gets one end,
/// an answer or an error with a sentence, and the connection ends when the daemon goes.
///
/// The input: as of ``DaemonToolTarget``; a step beside the others is a notification.
enum ClientToolTarget: FuzzTarget {
    static let name = "client-tool"

    private static let loop = EventLoop(name: "client-tool")
    /// Who keeps silent is asked all there is at once, and waited for so long: nothing more comes of waiting longer.
    private static let silence = Deadline.total(.milliseconds(10))
    /// Whoever answers at all has time to, also on a machine that has much else to do.
    private static let patience = Deadline.total(.seconds(10))
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let script = ToolScript(input)
        let outcome = Outcome()
        Task(executorPreference: loop) {
            outcome.complaint = await play(script)
            outcome.hasEnded.signal()
        }
        try require(outcome.hasEnded.wait(timeout: .now() + 20) == .success, "The tool goes on without a daemon.")
        if let complaint = outcome.complaint { throw FuzzFinding(complaint) }
    }

    private static func play(_ script: ToolScript) async -> String? {
        let (one, two) = MemoryEnd.pair(loop: loop)
        let tool = Connection(
            end: one, loop: loop, configuration: Connection.Configuration(role: .initiator), logger: quiet)
        let daemon = Connection(
            end: two, loop: loop, configuration: Connection.Configuration(role: .responder), logger: quiet)
        let desk = PresenterDesk()
        for manner in script.manners { _ = desk.insert(FuzzedPresenter(manner)) }
        return await withTaskGroup(of: String?.self) { group in
            group.addTask {
                guard (try? await tool.open()) != nil else { return "The tool got no answer to its hello." }
                _ = await tool.run(desk)
                return nil
            }
            group.addTask {
                guard (try? await daemon.open(reply: { _ in [] })) != nil else { return "The hello was no hello." }
                return await withTaskGroup(of: Void.self) { group in
                    group.addTask { _ = await daemon.run(Refusal()) }
                    let complaint = await ask(script, daemon)
                    daemon.close(nil)
                    return complaint
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    private static func ask(_ script: ToolScript, _ daemon: Connection) async -> String? {
        let isSilent = script.manners.contains(.keepsSilent)
        guard isSilent else {
            for step in script.steps {
                if let complaint = await take(step, daemon, isSilent: false) { return complaint }
            }
            return nil
        }
        // They begin in their order: all of them run on one thread.
        return await withTaskGroup(of: String?.self) { group in
            for step in script.steps { group.addTask { await take(step, daemon, isSilent: true) } }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }

    private static func take(_ step: ToolScript.Step, _ daemon: Connection, isSilent: Bool) async -> String? {
        if step.isBeside {
            daemon.notify(step.body)
            return nil
        }
        do throws(DocumentError) {
            let answer = try await daemon.request(step.body, deadline: isSilent ? silence : patience)
            return answer == ToolCall.answer() ? nil : "It was answered with \(answer)."
        } catch {
            if error.message.isEmpty { return "It failed without a word: \(error.code)." }
            return error.code == .deadlineExceeded && !isSilent ? "It was not answered." : nil
        }
    }

    private struct Refusal: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            throw DocumentError(.unimplemented, "Nothing is answered here.")
        }
    }
}
