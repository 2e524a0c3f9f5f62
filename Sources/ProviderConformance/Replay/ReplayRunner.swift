import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import Logging
import ProviderLauncher
import SystemPackage

/// Plays a recorded session again: the host's side against a provider, or a provider's side to whatever host has
/// started this program.
public struct ReplayRunner: Sendable {
    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// The other side did all that it did when it was recorded.
        case same
        /// The first difference, in words.
        case different(String)
    }

    let record: TrafficRecord
    /// How long the other side may take for each step.
    public var stepLimit = Duration.seconds(10)
    /// The program that starts providers; the one beside the running program when nil.
    public var trampoline: String?

    /// Reads a recording.
    ///
    /// - Throws: ``ConformanceUsageError``.
    public init(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ConformanceUsageError(
                "The recording “\(file)” cannot be read: \(ConfigurationFile.words(forReading: file)).")
        }
        do {
            record = try TrafficRecord(text: [UInt8](data))
        } catch {
            throw ConformanceUsageError("“\(file)”: \(error.message)")
        }
        guard !record.entries.isEmpty else {
            throw ConformanceUsageError("The recording “\(file)” is empty: there is nothing to play.")
        }
    }

    /// Plays the host's side against a provider.
    ///
    /// The contents of documents are not in a recording: what a create or a modify came with is as many zeros as the
    /// answer says that there were bytes.
    ///
    /// - Throws: ``ConformanceUsageError``, ``KitError``.
    public func replay(
        against subject: ConformanceSubject, configuration: ConformanceConfiguration, configurationFolder: String
    ) async throws -> Outcome {
        if let reason = record.note(TrafficRecord.unreplayable) {
            throw ConformanceUsageError(
                "This session cannot be replayed: \(reason). Run its check again, or look at what it saw in a report.")
        }
        let folder = try KitFolder()
        defer { folder.remove() }
        let loop = EventLoop(name: "replay")
        let blocking = BlockingPool(threads: 1, name: "replay-block")
        defer {
            loop.shutdown()
            blocking.shutdown()
        }
        ignoreBrokenPipeSignal()
        var runner = ConformanceRunner(
            subject: subject, configuration: configuration, configurationFolder: configurationFolder)
        runner.trampoline = trampoline
        let provider = try ProviderUnderTest(
            subject, configuration, configurationFolder: runner.configurationFolder, folder: folder,
            context: runner.context(loop, blocking), keepsRecords: false)
        let hooks = HookRunner(
            folder: folder, configurationFolder: runner.configurationFolder, limit: stepLimit,
            environment: ProcessInfo.processInfo.environment)
        for hook in configuration.hooks.prepare { try await hooks.run(hook) }
        let limit = stepLimit
        let record = record
        do {
            let outcome = try await provider.launch { launched in
                let raw = try RawSession(launched, of: provider, limit: limit, label: "replay")
                var machine = ReplayStateMachine(record, playing: .toProvider)
                defer { launched.end.close() }
                return try await Self.play(&machine, raw, provider, folder, limit)
            }
            return outcome.result
        } catch let failure as CheckFailure {
            return .different(failure.message + (failure.detail.isEmpty ? "" : "\n" + failure.detail))
        }
    }

    private static func play(
        _ machine: inout ReplayStateMachine, _ raw: RawSession, _ provider: ProviderUnderTest, _ folder: KitFolder,
        _ limit: Duration
    ) async throws -> Outcome {
        do {
            while true {
                switch try machine.next() {
                case .finished: return .same
                case .closeOutput: raw.closeInput()
                case .sendBytes(let bytes): try await raw.send(bytes)
                case .send(let frame): try await raw.send(try prepared(frame, machine, raw, folder))
                case .wait:
                    switch try await raw.next(within: limit) {
                    case .frame(let frame): try machine.receive(frame)
                    case .violation(let violation): return .different("\(violation)")
                    case .end: try machine.streamEnded()
                    case nil: return .different("Recorded: \(machine.awaitedWords)\nFound: nothing within \(limit)")
                    }
                }
            }
        } catch let difference as ReplayStateMachine.Difference {
            return .different(difference.words)
        }
    }

    /// A recorded frame with the folders and files of this run.
    private static func prepared(
        _ frame: Frame, _ machine: ReplayStateMachine, _ raw: RawSession, _ folder: KitFolder
    ) throws -> Frame {
        switch frame.kind {
        case .hello(let recorded):
            return try raw.helloFrame {
                $0.versions = recorded.versions
                $0.features = recorded.features
                $0.limits = recorded.limits
                $0.locale = recorded.locale
            }
        case .request(let body, let deadline, let label, _):
            guard let call = try? ProviderCall(serialized: body), call.path != nil else { return frame }
            var size = 0
            if let answer = machine.recordedAnswer(to: frame.id), let reply = try? ProviderReply(serialized: answer) {
                switch reply {
                case .create(let item), .modify(let item): size = Int(item.size ?? 0)
                default: break
                }
            }
            let contents = [UInt8](repeating: 0, count: min(max(size, 0), 64 * 1_048_576))
            // A provider may read what it is sent, and write only what it provides.
            let isProvided =
                switch call {
                case .startProviding, .provideRange: true
                default: false
                }
            let file = isProvided ? try folder.newStagingFile() : try folder.newFile(contents: contents)
            let path = file.path.string
            return Frame(
                id: frame.id, .request(body: call.withPath(path).serialized(), deadline: deadline, label: label))
        default: return frame
        }
    }
}

extension TrafficRecord {
    /// The key of the note that says why a session cannot be replayed.
    static let unreplayable = "not-replayable"
}

extension ReplayStateMachine.Difference {
    /// For people.
    package var words: String {
        let place = entry.map { "At entry \($0) of the recording" } ?? "After the recording"
        return "\(place) the sessions part.\nRecorded: \(recorded)\nFound: \(found)"
    }
}
