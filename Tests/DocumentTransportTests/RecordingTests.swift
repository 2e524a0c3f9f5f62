import DocumentModel
import DocumentTransport
import DocumentWire
import Testing

@Suite("Recording what goes between host and provider")
struct RecordingTests {
    private static let secret = "correct-horse-battery"

    private final class Observer: TransportObserver {
        func endIsReady(_ readiness: TransportReadiness) {}
        func readAhead() -> Bool { false }
    }

    /// What is recorded when both sides say what they are given to say, in slices of a size.
    private func record(host: [UInt8], provider: [UInt8], slice: Int, ending: Bool = true) throws -> [TrafficEntry] {
        let loop = EventLoop(name: "recording")
        defer { loop.shutdown() }
        let (one, two) = MemoryEnd.pair(loop: loop, capacity: max(host.count, provider.count) + 1)
        let log = TrafficLog(limit: 1_000_000)
        let end = RecordingEnd(one, recorder: TrafficRecorder { log.append($0) })
        try end.start(Observer())
        var rest = host[...]
        while !rest.isEmpty {
            let piece = rest.prefix(slice)
            #expect(piece.withUnsafeBytes { end.write($0) } == .bytes(piece.count))
            rest = rest.dropFirst(piece.count)
        }
        #expect(provider.isEmpty || provider.withUnsafeBytes { two.write($0) } == .bytes(provider.count))
        if ending { two.close() }
        var buffer = [UInt8](repeating: 0, count: slice)
        while case .bytes = buffer.withUnsafeMutableBytes({ end.read(into: $0) }) {}
        end.close()
        return log.entries
    }

    private func hello() throws -> Frame {
        var hello = Frame.Hello()
        hello.context = SessionSettings(
            providerID: try ProviderIdentifier("org.example.photos"), domain: try DomainName("work"),
            settings: ["token": Self.secret], stateFolder: "/state", storageRoot: "/root", stagingFolder: "/staging"
        ).serialized()
        return Frame(.hello(hello))
    }

    private func bytes(_ frames: Frame...) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames { frame.append(to: &bytes) }
        return bytes
    }

    @Test(
        "§6.59: both directions are recorded as whole frames, however they are sliced, and can be read back",
        arguments: [1, 2, 7, 64, 100_000])
    func bothDirections(slice: Int) throws {
        let asked = Frame(id: 1, .request(body: [1, 2], deadline: 30, label: RequestLabel("PC-1")))
        let answered = Frame(id: 1, .answer(body: [3]))
        let entries = try record(
            host: bytes(try hello(), asked), provider: FrameDecoder.preface + bytes(answered, Frame(.goodbye)),
            slice: slice)
        let toProvider = entries.filter { $0.direction == .toProvider }
        let toHost = entries.filter { $0.direction == .toHost }
        #expect(toProvider.count == 3)
        #expect(toProvider[1].frame == asked)
        #expect(toProvider.last?.content == .end)
        #expect(toHost.map(\.content).first == .preface)
        #expect(toHost.compactMap(\.frame) == [answered, Frame(.goodbye)])
        #expect(toHost.last?.content == .end)

        let record = TrafficRecord(notes: [.init(key: "provider", text: "org.example.photos\n1")], entries: entries)
        #expect(!record.text.contains(Self.secret))
        #expect(!record.text.contains(hex(Self.secret)), "in hexadecimal neither")
        let read = try TrafficRecord(text: Array(record.text.utf8))
        #expect(read.note("provider") == "org.example.photos 1")
        #expect(read.entries.map(\.content) == entries.map(\.content))
        #expect(read.entries.map(\.direction) == entries.map(\.direction))
        #expect(read.text == record.text)
    }

    private func hex(_ text: String) -> String {
        text.utf8.map { String($0, radix: 16, uppercase: true) }.joined()
    }

    @Test("Bytes that are no frames are recorded from the first bad one on", arguments: [1, 3, 100_000])
    func badBytes(slice: Int) throws {
        let good = Frame(id: 1, .answer(body: [3]))
        let bad: [UInt8] = [0x80, 0x80, 0x00, 0x41, 0x42]
        let entries = try record(host: [], provider: FrameDecoder.preface + bytes(good) + bad, slice: slice)
        let toHost = entries.filter { $0.direction == .toHost }
        #expect(toHost.compactMap(\.frame) == [good])
        #expect(loose(toHost) == bad)
        let stray = try record(host: [], provider: Array("hello\n".utf8), slice: slice)
        #expect(loose(stray) == Array("hello\n".utf8))
        #expect(!stray.contains { $0.content == .preface })
        // A preface that goes wrong in its midst.
        let nearly = Array(FrameDecoder.preface.prefix(5)) + [0x21, 0x22]
        #expect(loose(try record(host: [], provider: nearly, slice: slice)) == nearly)
    }

    private func loose(_ entries: [TrafficEntry]) -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            if case .bytes(let bytes) = entry.content { bytes } else { [] }
        }
    }

    @Test(
        "A frame that the end of the stream cuts off is recorded without what could be secret", arguments: [1, 100_000])
    func tornFrame(slice: Int) throws {
        let whole = bytes(try hello())
        for length in stride(from: 1, to: whole.count, by: 7) {
            let entries = try record(host: Array(whole[..<length]), provider: [], slice: slice, ending: false)
            let text = TrafficRecord(entries: entries).text
            #expect(!text.contains(hex("correct")), "cut after \(length) bytes")
            #expect(entries.contains { if case .bytes = $0.content { true } else { false } })
        }
    }

    @Test("The log in memory keeps the newest entries and says how many it left out")
    func boundedLog() {
        let log = TrafficLog(limit: 1000)
        for number in 0..<100 {
            log.append(
                TrafficEntry(
                    time: .zero, direction: .toHost, content: .frame([UInt8](repeating: UInt8(number), count: 36))))
        }
        #expect(log.entries.count == 10)
        #expect(log.leftOut == 90)
        #expect(log.entries.last?.content == .frame([UInt8](repeating: 99, count: 36)))
    }

    @Test(
        "A damaged recording is refused with the line that is wrong",
        arguments: [
            ("", "empty"), ("hello", "no recording"), ("docent-traffic 1\n> x frame 00", "Line 2"),
            ("docent-traffic 1\n> 1 frame 0", "Line 2"), ("docent-traffic 1\n> 1 frame 0G", "Line 2"),
            ("docent-traffic 1\nprovider x\n> 1 leap 00", "Line 3"), ("docent-traffic 1\n< 1", "Line 2"),
        ])
    func damaged(text: String, words: String) {
        let error = #expect(throws: DocumentError.self) { try TrafficRecord(text: Array(text.utf8)) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(words) == true)
    }

    @Test("§10.11: a request's label arrives at who answers it")
    func label() async throws {
        try await ConnectionPair.with(
            .memory, provider: Answering { _, request in Array((request.label?.text ?? "none").utf8) }
        ) { pair in
            let labelled = try await pair.host.request([1], deadline: .none, label: RequestLabel("PC-LIST-003"))
            #expect(String(decoding: labelled, as: UTF8.self) == "PC-LIST-003")
            let bare = try await pair.host.request([1], deadline: .none)
            #expect(String(decoding: bare, as: UTF8.self) == "none")
        }
    }

    @Test("A label is at most 64 bytes of text that can be printed")
    func labelLimits() {
        #expect(RequestLabel("") == nil)
        #expect(RequestLabel(String(repeating: "é", count: 40))?.text == String(repeating: "é", count: 32))
        #expect(RequestLabel("a\u{1B}b")?.text == "a\u{FFFD}b")
    }
}
