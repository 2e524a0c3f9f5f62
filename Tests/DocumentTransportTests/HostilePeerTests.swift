import DocumentModel
import DocumentTransport
import DocumentWire
import Testing

/// Peers that do not keep to the protocol (wire-and-supervision.md, sections 8 and 9).
@Suite(.timeLimit(.minutes(1)))
struct HostilePeerTests {
    @Test(arguments: EndKind.allCases)
    func textBeforeThePrefaceEndsTheOpeningWithTheText(over kind: EndKind) async throws {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.peerName = "The provider raw"
        try await RawConnection.with(kind, configuration) { raw in
            async let opened = raw.connection.open()
            try await raw.peer.send(Array("Starting up…\n".utf8))
            do {
                _ = try await opened
                Issue.record("It opened.")
            } catch {
                let error = error as? DocumentError
                #expect(error?.code == .protocolViolation)
                #expect(error?.message.hasPrefix("The provider raw broke the protocol: Text was printed") == true)
            }
            let failure = try #require(raw.connection.failure)
            #expect(failure.offset == 0)
            #expect(failure.text == "Starting up…\\n")
            try await raw.peer.waitForEnd()
        }
    }

    @Test(arguments: EndKind.allCases)
    func framesMayComeByteByByteAndManyAtOnce(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            async let one = raw.connection.request([1], deadline: .none)
            async let two = raw.connection.request([2], deadline: .none)
            let asked = try await raw.peer.receive(2)
            var bytes: [UInt8] = []
            for frame in asked.reversed() {
                guard case .request(let body, _, _, _) = frame.kind else { continue }
                Frame(id: frame.id, .heartbeat).append(to: &bytes)
                Frame(id: frame.id, .answer(body: body + [0])).append(to: &bytes)
            }
            for byte in bytes { try await raw.peer.send([byte]) }
            let answers = try await [one, two]
            #expect(answers == [[1, 0], [2, 0]])
        }
    }

    @Test(arguments: EndKind.allCases)
    func bodyThatIsNoMessageClosesTheConnectionWithItsPlace(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            async let answer = raw.connection.request([1], deadline: .none)
            _ = try await raw.peer.receive(1)
            try await raw.peer.send([3, 0xFF, 0xFF, 0xFF])
            do {
                _ = try await answer
                Issue.record("It was answered.")
            } catch {
                #expect((error as? DocumentError)?.code == .protocolViolation)
            }
            try await eventually("the evidence") { raw.connection.failure != nil }
            let failure = try #require(raw.connection.failure)
            #expect(failure.hex == "03 FF FF FF")
            #expect(failure.offset > 8)
            try await raw.peer.waitForEnd()
        }
    }

    @Test(arguments: EndKind.allCases)
    func frameAboveTheLimitClosesTheConnection(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) {
            $0.limits.frameBytes = 5000
        } _: { raw in
            try await raw.peer.send([0x89, 0x27])
            try await raw.peer.waitForEnd()
            #expect(raw.connection.failure?.code == .frameTooLarge)
        }
    }

    @Test(arguments: EndKind.allCases)
    func frameThatIsNeverFinishedClosesTheConnection(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) {
            $0.frameTimeout = .milliseconds(60)
        } _: { raw in
            var opening = FrameDecoder.preface
            var reply = Frame.HelloReply()
            reply.version = 1
            Frame(.helloReply(reply)).append(to: &opening)
            try await raw.peer.send([100, 8, 1, 42])
            try await raw.peer.waitForEnd()
            let failure = try #require(raw.connection.failure)
            #expect(failure.offset == opening.count, "where the frame began")
            #expect(failure.hex == "64 08 01 2A")
            #expect(
                failure.message
                    == "It did not finish a frame within 60 ms: it stopped within a frame, after 3 of its 100 bytes.")
        }
    }

    @Test(
        "Rule 7: a preface that stops midway is shown when the handshake has taken too long",
        arguments: EndKind.allCases)
    func prefaceThatIsNeverFinishedIsShown(over kind: EndKind) async throws {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.handshakeTimeout = .milliseconds(200)
        try await RawConnection.with(kind, configuration) { raw in
            try await raw.peer.send([0x89, 0x44, 0x4F])
            let error = try await failure { try await raw.connection.open() }
            #expect(error.code == .deadlineExceeded)
            let evidence = try #require(raw.connection.failure)
            #expect(evidence.offset == 0 && evidence.hex == "89 44 4F")
        }
    }

    @Test(arguments: EndKind.allCases)
    func streamThatEndsWithinAFrameSaysSo(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            async let ended = raw.connection.run(Refusing())
            try await raw.peer.send([100, 1, 2])
            raw.peer.end.close()
            let end = await ended
            #expect(end.reason == .endOfStream)
            #expect(end.evidence?.message == "The stream ended within a frame, after 2 of its 100 bytes.")
        }
    }

    @Test(arguments: EndKind.allCases)
    func silentPeerIsGivenUpAfterTheHandshakeTimeout(over kind: EndKind) async throws {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.handshakeTimeout = .milliseconds(50)
        try await RawConnection.with(kind, configuration) { raw in
            let error = try await failure { try await raw.connection.open() }
            #expect(error.code == .deadlineExceeded)
        }
    }

    /// A peer that asks and asks, and never reads: what we keep for it is bounded, and then we stop reading.
    @Test(arguments: EndKind.allCases)
    func floodOfRequestsWithoutReadingIsNotTakenForEver(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            async let ended = raw.connection.run(Answering { _, _ in [UInt8](repeating: 0, count: 1000) })
            var (sent, id, stuckSince) = (0, UInt64(2), ContinuousClock.now)
            var rest: [UInt8] = []
            while stuckSince.duration(to: .now) < .milliseconds(300), sent < 50_000_000 {
                if rest.isEmpty {
                    for _ in 0..<200 {
                        Frame(id: id, .request(body: [UInt8](repeating: 1, count: 100), deadline: 0)).append(to: &rest)
                        id += 2
                    }
                }
                let count = raw.peer.sendWhatFits(rest)
                rest.removeFirst(count)
                sent += count
                if count > 0 { stuckSince = .now }
                await Task.yield()
            }
            #expect(sent < 50_000_000, "It read on and on.")
            raw.peer.end.close()
            _ = await ended
        }
    }

    @Test(arguments: EndKind.allCases)
    func peerThatDoesNotReadHoldsUpCallersAndNothingElse(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) {
            $0.queueBytes = 100_000
        } _: { raw in
            let large = [UInt8](repeating: 1, count: 90_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        do { _ = try await raw.connection.request(large, deadline: .none) } catch {}
                    }
                }
                try await Task.sleep(for: .milliseconds(50))
                // A caller that waits for room can still be cancelled at once.
                let late = Task { try await raw.connection.request([1], deadline: .none) }
                late.cancel()
                await #expect(throws: DocumentError.self) { try await late.value }
                // What the peer reads is whole.
                let frames = try await raw.peer.receive(40)
                let ids = (0..<40).map { number in UInt64(number * 2 + 1) }
                #expect(frames.map(\.id) == ids)
                raw.connection.close(nil)
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: EndKind.allCases)
    func pingIsAnsweredWhileAHandlerBlocks(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            async let ended = raw.connection.run(
                Answering { _, _ in
                    for await _ in gate { break }
                    return []
                })
            try await raw.peer.send(Frame(id: 2, .request(body: [], deadline: 0)), Frame(.ping(8)))
            let frames = try await raw.peer.receive(1)
            #expect(frames == [Frame(.pong(8))])
            open.finish()
            _ = try await raw.peer.receive(1)
            raw.connection.close(nil)
            _ = await ended
        }
    }

    /// WIRE-6: pings, cancels, unknown frames and progress cost their receiver time and bring it nothing.
    @Test(arguments: EndKind.allCases)
    func floodOfFramesThatAskForNothingClosesTheConnection(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            async let ended = raw.connection.run(Refusing())
            var bytes: [UInt8] = []
            for id in 1...1000 { Frame(id: UInt64(id) * 2, .cancel).append(to: &bytes) }
            // A few are nothing.
            try await raw.peer.send(bytes)
            try await raw.peer.send(Frame(.ping(1)))
            #expect(try await raw.peer.receive(1) == [Frame(.pong(1))])
            for _ in 0..<1000 where raw.connection.failure == nil {
                do { try await raw.peer.send(bytes) } catch { break }
            }
            let end = await ended
            #expect(end.error.code == .protocolViolation)
            #expect(end.error.message.contains("floods the connection"))
        }
    }

    /// WIRE-25: one loop serves all connections, and one of them must not keep it from the others.
    @Test func peerThatFloodsDoesNotKeepTheLoopFromOthers() async throws {
        let loop = EventLoop(name: "shared")
        defer { loop.shutdown() }
        try await RawConnection.withOpenPair(on: loop) { flooded in
            try await RawConnection.withOpenPair(on: loop) { quiet in
                let clock = ContinuousClock()
                var bytes: [UInt8] = []
                // Tiny notifications, which nobody counts as a violation.
                for _ in 0..<20_000 { Frame(.notification(body: [1])).append(to: &bytes) }
                async let listening = flooded.connection.run(Answering { _, _ in [] })
                async let serving = quiet.connection.run(Answering { _, _ in [] })
                let flood = Task { for _ in 0..<100 where !Task.isCancelled { try await flooded.peer.send(bytes) } }
                var slowest = Duration.zero
                for number in 0..<50 {
                    let began = clock.now
                    try await quiet.peer.send(Frame(.ping(UInt64(number))))
                    _ = try await quiet.peer.receive(1)
                    slowest = max(slowest, clock.now - began)
                }
                flood.cancel()
                _ = try? await flood.value
                flooded.connection.close(nil)
                quiet.connection.close(nil)
                _ = await (listening, serving)
                #expect(slowest < .seconds(1), "\(slowest)")
            }
        }
    }
}
