import DocumentModel
import DocumentTransport
import DocumentWire
import Foundation
import Glibc
import SystemPackage

extension ReplayRunner {
    /// Plays the provider's side to the host that has started this program, over standard input and output.
    ///
    /// Contents of documents are not in a recording: a staging file is filled with as many zeros as the recorded answer
    /// promises.
    ///
    /// - Throws: ``KitError``.
    public func replayAsProvider() async throws -> Outcome {
        ignoreBrokenPipeSignal()
        var machine = ReplayStateMachine(record, playing: .toHost)
        let host = StandardPipes(limit: stepLimit)
        try await host.write(FrameDecoder.preface)
        do {
            while true {
                switch try machine.next() {
                case .finished: return .same
                case .closeOutput: return .same
                case .sendBytes(let bytes): try await host.write(bytes)
                case .send(let frame):
                    var bytes: [UInt8] = []
                    Self.withoutDigest(frame).append(to: &bytes)
                    try await host.write(bytes)
                case .wait:
                    guard let frame = try await host.read() else {
                        try machine.streamEnded()
                        continue
                    }
                    try fill(frame, machine)
                    try machine.receive(frame)
                }
            }
        } catch let difference as ReplayStateMachine.Difference {
            return .different(difference.words)
        }
    }

    /// What a provider vouched for is not in the recording, and zeros are not it.
    private static func withoutDigest(_ frame: Frame) -> Frame {
        guard case .answer(let body) = frame.kind,
            case .startProviding(let provided) = try? ProviderReply(serialized: body), provided.sha256 != nil
        else { return frame }
        let reply = ProviderReply.startProviding(ProvidedContents(provided.item))
        return Frame(id: frame.id, .answer(body: reply.serialized()))
    }

    /// Writes what a recorded answer promises, before it goes out.
    private func fill(_ frame: Frame, _ machine: ReplayStateMachine) throws {
        guard case .request(let body, _, _, _) = frame.kind, let call = try? ProviderCall(serialized: body),
            let answer = machine.recordedAnswer(to: frame.id), let reply = try? ProviderReply(serialized: answer)
        else { return }
        let path: String
        let part: Range<Int64>
        switch (call, reply) {
        case (.startProviding(_, let file, _), .startProviding(let provided)):
            (path, part) = (file, 0..<max(provided.item.size ?? 0, 0))
        case (.provideRange(let wanted), .provideRange): (path, part) = (wanted.stagingPath, wanted.range)
        default: return
        }
        do {
            let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.noFollow, .closeOnExec])
            let zeros = [UInt8](repeating: 0, count: Int(min(part.upperBound - part.lowerBound, 64 * 1_048_576)))
            _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: part.lowerBound, zeros) }
        } catch {
            throw KitError("The staging file “\(path)” cannot be filled: \(error)")
        }
    }
}

/// The frames of standard input and output, with a limit for each wait.
private final class StandardPipes {
    private let limit: Duration
    private var decoder = FrameDecoder(limit: FrameLimits.default.frameBytes)
    private var frames: [Frame] = []

    init(limit: Duration) {
        self.limit = limit
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
    }

    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        let isSent = try await eventually(within: limit) {
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                if count < 0 {
                    guard errno == EAGAIN || errno == EINTR else {
                        throw KitError("The host does not take the recorded frames any more.")
                    }
                    return false
                }
                rest = rest.dropFirst(count)
            }
            return true
        }
        guard isSent else { throw KitError("The host does not read the recorded frames.") }
    }

    /// The next frame that is no ping, which is answered; nil at the end of the stream, or when none comes in time.
    func read() async throws -> Frame? {
        while true {
            while !frames.isEmpty {
                let frame = frames.removeFirst()
                guard case .ping(let number) = frame.kind else { return frame }
                var bytes: [UInt8] = []
                Frame(.pong(number)).append(to: &bytes)
                try await write(bytes)
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var count = -1
            // A host may leave its provider alone for long.
            _ = try await eventually(within: .seconds(600)) {
                count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                return count >= 0 || (errno != EAGAIN && errno != EINTR)
            }
            guard count > 0 else { return nil }
            let violation = buffer[..<count].withUnsafeBytes { slice -> FrameViolation? in
                do throws(FrameViolation) {
                    try decoder.decode(slice) { (body, _) throws(FrameViolation) in
                        if let frame = try? Frame(body: body) { frames.append(frame) }
                    }
                    return nil
                } catch {
                    return error
                }
            }
            if let violation { throw KitError("The host sent what is no frame: \(violation)") }
        }
    }
}
