import DocumentTransport
import DocumentWire
import Foundation
import Synchronization
import SystemPackage

/// What the peer of an attack saw of its host, as `misbehaving-peer` has noted it in a folder: the exchanges of each of its
/// processes, one after the other, secrets blanked out.
struct AttackTraffic: Sendable {
    /// So many are shown of a process.
    private static let most = 500

    let folder: String
    /// Whether the peer is a tool, whose messages are those of `docent.service.v1`.
    private let isOfTool: Bool

    /// - Parameter machine: the folder of the attack's machine.
    init(of attack: HostAttack, number: Int, in machine: String) {
        folder = "\(machine)/traffic/\(number)"
        isOfTool = attack.question == .tool
    }

    func prepare() throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw KitError("The folder “\(folder)” cannot be made: \(error.localizedDescription)")
        }
    }

    /// How the names of files begin by which the peer says that something has happened.
    private static let mark = "mark-"

    /// That the peer has done what the attack is about.
    ///
    /// - Throws: ``KitError``: an attack that has not happened says nothing of the host.
    func expectDeed(of attack: HostAttack) throws {
        let names = self.names
        guard names.contains(Self.mark + "deviated") else {
            throw KitError("It never came to the attack “\(attack.behaviour)”: ask for what it deviates on.")
        }
        guard !attack.startsProcesses || names.contains(where: { $0.hasPrefix(Self.mark + "child-") }) else {
            throw KitError("The provider of the attack “\(attack.behaviour)” has started no process.")
        }
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    /// Whether the peer has come to one of these.
    func has(_ marks: String...) -> Bool {
        let names = self.names
        return marks.contains { names.contains(Self.mark + $0) }
    }

    /// What the peer has seen the host do.
    ///
    /// - Throws: ``CheckFailure``.
    func expectRespect() throws {
        if has("pressed") { throw CheckFailure("The host asks the same on and on, as fast as it is answered.") }
        if has("harmed") { throw CheckFailure("The host has the remote drop what nobody has resolved.") }
    }

    /// Hands over what was noted, and removes the folder.
    func take() -> [Exchange] {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return names.sorted().flatMap { name -> [Exchange] in
            guard !name.hasPrefix(Self.mark), let notes = FileManager.default.contents(atPath: "\(folder)/\(name)")
            else { return [] }
            return Self.exchanges(in: String(decoding: notes, as: UTF8.self), isOfTool: isOfTool)
        }
    }

    /// Puts the notes of one process into words.
    static func exchanges(in notes: String, isOfTool: Bool = false) -> [Exchange] {
        let state = Mutex((now: Duration.zero, entries: [TrafficEntry]()))
        let recorder = TrafficRecorder { entry in
            state.withLock { state in
                state.entries.append(
                    TrafficEntry(time: state.now, direction: entry.direction, content: entry.content))
            }
        }
        let noted = NotedEnd()
        let end = RecordingEnd(noted, recorder: recorder)
        if isOfTool { noted.receive(FrameDecoder.preface, through: end) }
        var isCut = false
        for line in notes.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 3, let microseconds = Int64(words[1]), let bytes = Self.bytes(words[2]) else {
                continue
            }
            isCut = isCut || words.count > 3
            state.withLock { $0.now = .microseconds(microseconds) }
            if words[0] == ">" {
                _ = bytes.withUnsafeBytes { end.write($0) }
            } else {
                noted.receive(bytes, through: end)
            }
        }
        let entries = state.withLock { $0.entries }.dropFirst(isOfTool ? 1 : 0)
        var exchanges = entries.prefix(most).map { Exchange($0, isOfTool: isOfTool) }
        if isCut || entries.count > most {
            exchanges.append(
                Exchange(
                    time: exchanges.last?.time ?? 0, isToProvider: false, summary: "There was more, which is left out",
                    text: ""))
        }
        return exchanges
    }

    private static func bytes(_ hex: Substring) -> [UInt8]? {
        guard hex.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var rest = hex.utf8[...]
        while !rest.isEmpty {
            guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

/// An end at which there is what was noted earlier, and that takes everything.
private final class NotedEnd: TransportEnd {
    private let waiting = Mutex<[UInt8]>([])

    func receive(_ bytes: [UInt8], through end: RecordingEnd) {
        waiting.withLock { $0 = bytes }
        var buffer = [UInt8](repeating: 0, count: max(bytes.count, 1))
        _ = buffer.withUnsafeMutableBytes { end.read(into: $0) }
    }

    func start(_ observer: any TransportObserver) throws(Errno) {}
    func setInterest(reading: Bool, writing: Bool) {}
    func close() {}
    func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome { .bytes(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        let bytes = waiting.withLock { $0 }
        guard !bytes.isEmpty, bytes.count <= buffer.count else { return .wouldBlock }
        buffer.copyBytes(from: bytes)
        return .bytes(bytes.count)
    }
}
