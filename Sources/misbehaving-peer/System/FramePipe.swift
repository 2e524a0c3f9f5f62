import Glibc

/// Two descriptors that frames go through, one blocking step at a time.
final class FramePipe {
    /// The other side has gone, or speaks no frames.
    struct Ended: Error, CustomStringConvertible {
        var description: String
    }

    let input: Int32
    let output: Int32
    /// Where what goes through it is noted; nil: nowhere.
    let notes: TrafficNotes?
    /// Which way what is written goes.
    private let outgoing: TrafficNotes.Direction
    private var buffer: [UInt8] = []

    init(
        input: Int32, output: Int32, notes: TrafficNotes? = nil, writing outgoing: TrafficNotes.Direction = .toHost
    ) {
        self.input = input
        self.output = output
        self.notes = notes
        self.outgoing = outgoing
    }

    func write(_ bytes: [UInt8]) throws {
        notes?.note(bytes, outgoing)
        try bytes.withUnsafeBytes { all in
            var rest = all
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(output, base, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Ended(description: "writing failed: errno \(errno)") }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    func send(_ frames: PeerFrame...) throws {
        try write(frames.flatMap(\.bytes))
    }

    /// The next frame; nil at the end of the stream.
    ///
    /// - Parameter timeout: in milliseconds; -1 for ever.
    func read(timeout: Int32 = -1) throws -> PeerFrame? {
        while true {
            if let body = try takeBody() {
                guard let frame = PeerFrame(body: body) else { throw Ended(description: "a body is no message") }
                return frame
            }
            guard try fill(timeout) else { return nil }
        }
    }

    /// Whether the other side has said something, or has gone.
    var hasInput: Bool {
        var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || poll(&entry, 1, 0) > 0
    }

    /// A line, where text comes instead of frames; what there is of it at the end of the stream.
    func readLine(timeout: Int32) throws -> String {
        while !buffer.contains(UInt8(ascii: "\n")), try fill(timeout) {}
        let line = buffer.prefix { $0 != UInt8(ascii: "\n") }
        buffer.removeFirst(min(line.count + 1, buffer.count))
        return String(decoding: line, as: UTF8.self)
    }

    /// Passes over the bytes that a provider's output must begin with.
    func expectPreface(timeout: Int32) throws {
        while buffer.count < PeerFrame.preface.count {
            guard try fill(timeout) else { throw Ended(description: "the stream ended before the preface") }
        }
        guard Array(buffer.prefix(8)) == PeerFrame.preface else {
            throw Ended(description: "the stream does not begin with the preface")
        }
        buffer.removeFirst(8)
    }

    private func takeBody() throws -> [UInt8]? {
        var rest = buffer[...]
        let seen = rest.count
        guard let length = MessageReader.varint(&rest) else {
            if seen >= 10 { throw Ended(description: "a length has no end") }
            return nil
        }
        guard length > 0, length < 1 << 28 else { throw Ended(description: "a length is \(length)") }
        guard UInt64(rest.count) >= length else { return nil }
        let body = Array(rest.prefix(Int(length)))
        buffer.removeFirst(seen - rest.count + body.count)
        return body
    }

    /// - Returns: false at the end of the stream.
    private func fill(_ timeout: Int32) throws -> Bool {
        if timeout >= 0 {
            var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, timeout) > 0 else { throw Ended(description: "nothing came in \(timeout) ms") }
        }
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(input, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return false }
            notes?.note(chunk[..<count], outgoing == .toHost ? .toProvider : .toHost)
            buffer += chunk[..<count]
            return true
        }
    }
}
