import DocumentProvider
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import Synchronization
import Testing

/// Over what a test runs: the same body for both.
enum EndKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, pipes

    var testDescription: String { rawValue }

    fileprivate func pair(_ loop: EventLoop, _ otherLoop: EventLoop) throws -> (any TransportEnd, any TransportEnd) {
        switch self {
        case .memory: return MemoryEnd.pair(loop: loop)
        case .pipes:
            let (one, two) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
            return (
                PipeEnd(reading: one.readEnd, writing: two.writeEnd, loop: loop),
                PipeEnd(reading: two.readEnd, writing: one.writeEnd, loop: otherLoop)
            )
        }
    }
}

/// A provider and its host, in one process.
enum ProviderFixture {
    /// How the provider's side ended.
    typealias Outcome = Result<ConnectionEnd, DocumentError>

    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs the body as the host of a provider.
    ///
    /// - Returns: how the provider's session ended.
    @discardableResult
    static func with<P: Provider>(
        _ type: P.Type,
        over kind: EndKind = .memory,
        settings: SessionSettings,
        refusal: DocumentError? = nil,
        body: (ProviderTestHost) async throws -> Void
    ) async throws -> Outcome {
        let (loop, otherLoop) = (EventLoop(name: "host"), EventLoop(name: "provider"))
        defer {
            loop.shutdown()
            otherLoop.shutdown()
        }
        let (hostEnd, providerEnd) = try kind.pair(loop, otherLoop)
        async let outcome = run(P.self, over: providerEnd, loop: otherLoop)
        do {
            try await ProviderTestHost.with(
                end: hostEnd, loop: loop, settings: settings, refusal: refusal, body: body
            )
        } catch {
            hostEnd.close()
            _ = await outcome
            throw error
        }
        return await outcome
    }

    /// The same for a provider whose script is given.
    @discardableResult
    static func with(
        _ script: ScriptedProvider.Script,
        over kind: EndKind = .memory,
        refusal: DocumentError? = nil,
        body: (ProviderTestHost) async throws -> Void
    ) async throws -> Outcome {
        // A domain of its own, so that tests may run side by side.
        let settings = try SessionSettings.test(domain: "d\(UInt64.random(in: 0 ... .max))")
        ScriptedProvider.scripts.withLock { $0[settings.domain] = script }
        defer { ScriptedProvider.scripts.withLock { $0[settings.domain] = nil } }
        return try await with(ScriptedProvider.self, over: kind, settings: settings, refusal: refusal, body: body)
    }

    private static func run<P: Provider>(
        _ type: P.Type, over end: any TransportEnd, loop: EventLoop
    ) async -> Outcome {
        do throws(DocumentError) {
            return .success(try await ProviderSession.run(P.self, over: end, loop: loop, logger: quiet))
        } catch {
            return .failure(error)
        }
    }
}

/// The code of the error that a body throws.
func code(_ body: () async throws -> some Any) async -> DocumentError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? DocumentError)?.code
    }
}
