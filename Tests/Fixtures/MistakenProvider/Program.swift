import CDocentShims
import DocumentModel
import DocumentProvider
import DocumentTransport
import Glibc
import Logging
import SystemPackage

/// The provider's process: as of every provider, but for the relay that can damage its frames.
@main
enum Program {
    /// What all of the provider's tasks run on: Dispatch, which runs those of nobody's executor, looks at its threads in
    /// `/proc`, and traps when a sandbox keeps it from that.
    static let loop = EventLoop(name: "provider")

    @MainActor static func main() async throws {
        guard getenv("DOCENT_PROVIDER_COOKIE") != nil else {
            _ = try FileDescriptor.standardError.writeAll(
                "A provider for tests, which provider-conformance starts.\n".utf8)
            exit(64)
        }
        var (input, output): (Int32, Int32) = (-1, -1)
        guard docent_protect_standard_streams(&input, &output) == 0 else { exit(1) }
        ignoreBrokenPipeSignal()
        // A file that may not grow any more fails its write, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        let relay = try FrameRelay(
            fromHost: FileDescriptor(rawValue: input), toHost: FileDescriptor(rawValue: output),
            mistake: CommandLine.arguments.dropFirst().first.flatMap(Mistake.init)
        )
        relay.start()
        let loop = Self.loop
        let end = PipeEnd(reading: relay.input, writing: relay.output, loop: loop)
        let status = await withTaskExecutorPreference(loop) { () async -> Int32 in
            let status = await serve(end)
            await relay.finish()
            if relay.mistake == .lingers { try? await Task.sleep(for: .seconds(3600)) }
            if relay.mistake == .endsLate { try? await Task.sleep(for: .seconds(3)) }
            return status
        }
        exit(status)
    }

    private static func serve(_ end: PipeEnd) async -> Int32 {
        do throws(DocumentError) {
            let ended = try await ProviderSession.run(
                MistakenProvider.self, over: end, loop: loop,
                logger: Logger(label: "fixture") { _ in SwiftLogNoOpLogHandler() }
            )
            return ended.reason == .failed ? 1 : 0
        } catch {
            return error.code == .unimplemented ? 0 : 1
        }
    }
}
