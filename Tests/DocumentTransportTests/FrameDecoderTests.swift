import DocumentModel
import DocumentTransport
import Testing

struct FrameDecoderTests {
    /// Feeds slices to a decoder and gathers what comes out.
    private struct Fed {
        var bodies: [[UInt8]] = []
        var offsets: [UInt64] = []
        var violation: FrameViolation?
        var isMidFrame = false
        var atEnd: FrameViolation?

        init(_ slices: [[UInt8]], limit: Int = 4096, expectsPreface: Bool = false) {
            var decoder = FrameDecoder(limit: limit, expectsPreface: expectsPreface)
            var (bodies, offsets): ([[UInt8]], [UInt64]) = ([], [])
            for slice in slices {
                do {
                    try slice.withUnsafeBytes { bytes in
                        try decoder.decode(bytes) { body, offset throws(FrameViolation) in
                            bodies.append([UInt8](body))
                            offsets.append(offset)
                        }
                    }
                } catch {
                    violation = violation ?? error as? FrameViolation
                }
            }
            (self.bodies, self.offsets) = (bodies, offsets)
            isMidFrame = decoder.isMidFrame
            atEnd = decoder.violationAtEnd()
        }
    }

    private static func frame(_ body: [UInt8]) -> [UInt8] {
        precondition(body.count < 16_384)
        return
            (body.count < 128
            ? [UInt8(body.count)] : [UInt8(body.count & 0x7F) | 0x80, UInt8(body.count >> 7)]) + body
    }

    private static let bodies: [[UInt8]] = [[7], Array(1...200), [1, 2, 3], Array(repeating: 0, count: 130)]
    private static let stream = bodies.flatMap(frame)

    @Test func framesComeOutOfOneSlice() {
        let fed = Fed([Self.stream])
        #expect(fed.bodies == Self.bodies)
        #expect(fed.offsets == [0, 2, 204, 208])
        #expect(fed.violation == nil)
        #expect(fed.atEnd == nil)
    }

    @Test(arguments: 0...stream.count)
    func framesComeOutOfAnySplit(at index: Int) {
        let fed = Fed([Array(Self.stream[..<index]), Array(Self.stream[index...])])
        #expect(fed.bodies == Self.bodies)
        #expect(fed.offsets == [0, 2, 204, 208])
    }

    @Test func framesComeOutByteByByte() {
        let fed = Fed((FrameDecoder.preface + Self.stream).map { [$0] }, expectsPreface: true)
        #expect(fed.bodies == Self.bodies)
        #expect(fed.offsets == [8, 10, 212, 216])
    }

    @Test func randomStreamsAreCutTheSameHoweverTheyAreSliced() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let bodies = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                random.bytes(Int.random(in: 1...400, using: &random))
            }
            var rest = (FrameDecoder.preface + bodies.flatMap(Self.frame))[...]
            var slices: [[UInt8]] = []
            while !rest.isEmpty {
                let count = Int.random(in: 0...min(rest.count, 90), using: &random)
                slices.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let fed = Fed(slices, expectsPreface: true)
            #expect(fed.bodies == bodies)
            #expect(fed.violation == nil)
            #expect(!fed.isMidFrame)
        }
    }

    @Test func randomBytesGiveTheSameHoweverTheyAreSliced() {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<2000 {
            let bytes = random.bytes(Int.random(in: 0...200, using: &random)).map { $0 % 40 == 0 ? $0 : $0 & 0x1F }
            let whole = Fed([bytes], limit: 20)
            let single = Fed(bytes.map { [$0] }, limit: 20)
            #expect(whole.bodies == single.bodies)
            #expect(whole.offsets == single.offsets)
            // The texts may differ: what the bytes look like depends on how many are there.
            #expect(whole.violation?.code == single.violation?.code)
            #expect(whole.violation?.offset == single.violation?.offset)
        }
    }

    @Test func lengthZeroIsRefused() throws {
        let violation = try #require(Fed([[2, 1, 1, 0, 9, 9]]).violation)
        #expect(violation.offset == 3)
        #expect(violation.hex == "00 09 09")
        #expect(violation.message.contains("length 0"))
    }

    @Test func paddedLengthIsRefused() throws {
        let violation = try #require(Fed([[0x81, 0x00, 9]]).violation)
        #expect(violation.offset == 0)
        #expect(violation.hex == "81 00 09")
        #expect(violation.message.contains("padded"))
    }

    @Test func lengthOfFiveBytesIsRefused() throws {
        let violation = try #require(Fed([[0x80, 0x80], [0x80, 0x80, 0x01]], limit: .max).violation)
        #expect(violation.message.contains("more than 4 bytes"))
        #expect(violation.bytes == [0x80, 0x80, 0x80, 0x80, 0x01])
    }

    @Test func lengthOverTheLimitIsRefusedBeforeItsBodyCame() throws {
        #expect(Fed([[100] + [UInt8](repeating: 1, count: 100)], limit: 100).violation == nil)
        let violation = try #require(Fed([[101]], limit: 100).violation)
        #expect(violation.code == .frameTooLarge)
        #expect(violation.message == "A frame has 101 bytes, and at most 100 are accepted.")
    }

    @Test func longestLengthIsRead() throws {
        // 2^28 - 1, against a limit below it.
        let violation = try #require(Fed([[0xFF, 0xFF, 0xFF, 0x7F]], limit: 4_194_304).violation)
        #expect(violation.message.contains("268435455 bytes"))
    }

    @Test func nothingFollowsAViolation() {
        let fed = Fed([[0], [1, 1], [1, 2]])
        #expect(fed.bodies.isEmpty)
        #expect(fed.violation?.offset == 0)
    }

    @Test func whatTheReaderRefusesIsFinal() {
        var decoder = FrameDecoder(limit: 100)
        var count = 0
        for _ in 0..<2 {
            #expect(throws: FrameViolation.self) {
                try ([1, 1, 1, 2] as [UInt8]).withUnsafeBytes { bytes in
                    try decoder.decode(bytes) { body, offset throws(FrameViolation) in
                        count += 1
                        throw FrameViolation("No.", offset: offset, bytes: body)
                    }
                }
            }
        }
        #expect(count == 1)
    }

    @Test func textBeforeThePrefaceIsNamedAsSuch() throws {
        let violation = try #require(
            Fed([Array("Hello, wor".utf8), Array("ld\n".utf8)], expectsPreface: true).violation)
        #expect(violation.offset == 0)
        #expect(violation.message.hasPrefix("Text was printed to standard output before the protocol began"))
        #expect(violation.text == "Hello, wor")
        #expect(violation.hex.hasPrefix("48 65 6C 6C 6F"))
    }

    @Test("Text that was printed in one breath with the preface is named as such")
    func textWithThePreface() throws {
        let violation = try #require(
            Fed([Array("Hello!\n".utf8) + FrameDecoder.preface + [0, 1]], expectsPreface: true).violation)
        #expect(violation.message.hasPrefix("Text was printed to standard output before the protocol began"))
        #expect(violation.text.hasPrefix("Hello!"))
    }

    @Test func otherBytesBeforeThePrefaceAreNotCalledText() throws {
        let violation = try #require(Fed([[0, 1, 2, 3]], expectsPreface: true).violation)
        #expect(violation.message.contains("does not begin with the preface"))
    }

    @Test func wrongByteWithinThePrefaceIsShownWithThoseBeforeIt() throws {
        let violation = try #require(Fed([[0x89, 0x44], [0x4F, 0x58, 0x0D]], expectsPreface: true).violation)
        #expect(violation.offset == 0)
        #expect(violation.bytes == [0x89, 0x44, 0x4F, 0x58, 0x0D])
    }

    @Test func textBetweenFramesIsNamedAsSuch() throws {
        // "l" is a length of 108, over the limit of 50.
        let violation = try #require(Fed([[1, 7], Array("loading…\n".utf8)], limit: 50).violation)
        #expect(violation.offset == 2)
        #expect(violation.message.hasSuffix("It looks like text that was printed into the stream."))
        #expect(violation.text == "loading…\\n")
    }

    @Test func streamCutShortSaysWhere() {
        #expect(Fed([[1, 7]]).atEnd == nil)
        #expect(Fed([[5, 1, 2]]).atEnd?.message == "The stream ended within a frame, after 2 of its 5 bytes.")
        #expect(Fed([[1, 7, 0x80]]).atEnd?.offset == 2)
        #expect(Fed([[0x89, 0x44]], expectsPreface: true).atEnd?.message == "The stream ended within the preface.")
        #expect(Fed([], expectsPreface: true).atEnd == nil)
    }

    @Test func anAnnouncedLengthTakesNoMemory() {
        var decoder = FrameDecoder(limit: 4_194_304)
        #expect(throws: Never.self) {
            try ([0x80, 0x80, 0x80, 0x02] as [UInt8]).withUnsafeBytes { bytes in
                try decoder.decode(bytes) { _, _ throws(FrameViolation) in }
            }
        }
        let (isMidFrame, reserved) = (decoder.isMidFrame, decoder.reservedBytes)
        #expect(isMidFrame)
        #expect(reserved < 4096)
    }

    @Test func violationKeepsOnlyTheFirstBytes() throws {
        let violation = try #require(Fed([[0] + [UInt8](repeating: 65, count: 5000)]).violation)
        #expect(violation.bytes.count == FrameViolation.keptBytes)
    }
}
