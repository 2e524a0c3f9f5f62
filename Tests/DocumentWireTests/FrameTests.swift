import DocumentModel
import DocumentWire
import Testing

struct FrameTests {
    private static let everyKind: [Frame] = {
        var hello = Frame.Hello()
        hello.versions = [1, 7]
        hello.features = ["ranges", "ünïcode"]
        hello.limits = Frame.Limits(frameBytes: 8192, requests: 3)
        hello.software = "docentd 0.1.0"
        hello.processID = 4711
        hello.session = "abc"
        hello.locale = "de-CH"
        hello.context = [1, 2, 3]
        var reply = Frame.HelloReply()
        reply.version = 1
        reply.features = ["ranges"]
        reply.limits = Frame.Limits(frameBytes: 4096, requests: 1)
        reply.software = "org.example.photos 2.1"
        reply.versions = [1]
        reply.context = [9]
        return [
            Frame(.hello(hello)), Frame(.helloReply(reply)),
            Frame(id: 1, .request(body: [1, 2, 3], deadline: 30_000)), Frame(id: 3, .request(body: [], deadline: 0)),
            Frame(id: 3, .request(body: [1], deadline: 0, label: RequestLabel("PC-LIST-003"))),
            Frame(id: 3, .request(body: [1], deadline: 5, priority: .nested)),
            Frame(id: 3, .request(body: [], deadline: 0, label: RequestLabel("a"), priority: .ending)),
            Frame(id: 5, .answer(body: [4, 5])), Frame(id: .max, .answer(body: [])),
            Frame(id: 7, .failure(DocumentError(.noSuchItem, "Not there."))),
            Frame(id: 9, .progress(TransferProgress(done: 10, expected: 20))),
            Frame(id: 9, .progress(TransferProgress(done: 10))), Frame(id: 9, .heartbeat), Frame(id: 11, .cancel),
            Frame(.notification(body: [6])), Frame(.shutdown), Frame(.goodbye), Frame(.ping(77)), Frame(.pong(0)),
        ]
    }()

    @Test(arguments: everyKind)
    func everyKindComesBackAsItWas(_ frame: Frame) throws {
        var bytes: [UInt8] = []
        frame.append(to: &bytes)
        let (body, rest) = try bytes.splitFrame()
        #expect(rest.isEmpty)
        #expect(try decode(body) == frame)
    }

    @Test func whatIsWrittenByHandIsWhatSwiftProtobufWrites() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
            let frame = random.plainFrame()
            var bytes: [UInt8] = []
            frame.append(to: &bytes)
            let (body, rest) = try bytes.splitFrame()
            #expect(rest.isEmpty)
            #expect(body == frame.generalBody())
            #expect(body.count <= Frame.bodyLength(carrying: frame.carried))
        }
    }

    @Test func whatIsReadByHandIsWhatSwiftProtobufReads() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            var bytes = random.plainFrame().generalBody()
            // Damaged in up to three places; half of them not at all.
            for _ in 0..<Int.random(in: 0...3, using: &random) where Bool.random(using: &random) && !bytes.isEmpty {
                let index = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
            }
            let ours = try? decode(bytes)
            let theirs = try? bytes.withUnsafeBytes { try Frame(general: $0) }
            #expect(ours == theirs, "\(bytes)")
        }
    }

    @Test func randomBytesAreRefusedOrRead() {
        var random = SeededGenerator(seed: 3)
        var refused = 0
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if (try? decode(bytes)) == nil { refused += 1 }
        }
        #expect(refused > 10_000)
    }

    @Test func kindOfANewerPeerIsUnknown() throws {
        // Field 99, length-delimited, after the id.
        #expect(try decode([0x08, 0x05, 0x9A, 0x06, 0x01, 0x00]) == Frame(id: 5, .unknown))
    }

    @Test func failureKeepsEverything() throws {
        let error = DocumentError(
            DocumentError.Code(rawValue: 399), "Not now.", detail: "x = 1", retryAfter: .milliseconds(1500),
            causes: ["One.", "Two."], itemID: try ItemIdentifier("a/b"))
        #expect(try roundTrip(error) == error)
    }

    @Test func failureWithoutACodeIsInternal() throws {
        // Frame { id 1, failure { message "Hm." } }
        let error = try failure([0x08, 0x01, 0x32, 0x05, 0x12, 0x03, 0x48, 0x6D, 0x2E])
        #expect(error.code == .internal)
        #expect(error.message == "Hm.")
    }

    @Test func failureWithAnImpossibleItemLosesOnlyTheItem() throws {
        // Frame { id 1, failure { message "Hm.", item_id "\0" } }
        let error = try failure([0x08, 0x01, 0x32, 0x08, 0x12, 0x03, 0x48, 0x6D, 0x2E, 0x32, 0x01, 0x00])
        #expect(error.itemID == nil)
        #expect(error.message == "Hm.")
    }

    private func decode(_ bytes: [UInt8]) throws -> Frame {
        try bytes.withUnsafeBytes { try Frame(body: $0) }
    }

    private func roundTrip(_ error: DocumentError) throws -> DocumentError {
        try failure(Frame(id: 1, .failure(error)).generalBody())
    }

    private func failure(_ bytes: [UInt8]) throws -> DocumentError {
        guard case .failure(let error) = try decode(bytes).kind else {
            throw DocumentError(.internal, "The frame is not a failure.")
        }
        return error
    }
}

extension Frame {
    fileprivate var carried: Int {
        switch kind {
        case .request(let body, _, _, _), .answer(let body): body.count
        default: 0
        }
    }
}

extension [UInt8] {
    /// The first frame's body, and what follows it.
    fileprivate func splitFrame() throws -> (body: [UInt8], rest: [UInt8]) {
        var length = 0
        var position = 0
        var shift = 0
        repeat {
            length |= Int(self[position] & 0x7F) << shift
            shift += 7
            position += 1
        } while self[position - 1] >= 0x80
        try #require(position + length <= count)
        return (Array(self[position..<position + length]), Array(self[(position + length)...]))
    }
}

private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A request or an answer, with figures of all lengths.
    mutating func plainFrame() -> Frame {
        let id = next() >> UInt64.random(in: 0...63, using: &self)
        let count = Int.random(in: 0...(Bool.random(using: &self) ? 300 : 3), using: &self)
        let body = (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
        guard Bool.random(using: &self) else { return Frame(id: id, .answer(body: body)) }
        let deadline = UInt32(truncatingIfNeeded: next() >> UInt64.random(in: 32...63, using: &self))
        let label =
            Bool.random(using: &self) ? RequestLabel(String(repeating: "é", count: Int.random(in: 0...40))) : nil
        let priority = RequestPriority.allCases.randomElement(using: &self) ?? .ordinary
        return Frame(
            id: id,
            .request(
                body: body, deadline: Bool.random(using: &self) ? deadline : 0, label: label, priority: priority))
    }
}
