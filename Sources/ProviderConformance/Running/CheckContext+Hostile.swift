package import DocumentModel
import DocumentWire
import Glibc
package import ProviderLauncher
import SystemPackage

extension CheckContext {
    /// A process of its own with the hello done, for hosts that go wrong after it.
    ///
    /// - Parameters:
    ///   - drainsErrors: whether anybody reads the provider's standard error.
    ///   - body: gets the top folder's identifier.
    @discardableResult
    package func withHostileSession<Result: Sendable>(
        drainsErrors: Bool = true, _ body: @escaping @Sendable (RawSession, ItemIdentifier) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        guard !drainsErrors else { return try await withGreetedEnd(body) }
        let path = folder.path.appending("errors-" + operationName())
        guard mkfifo(path.string, 0o600) == 0 else {
            throw KitError("No pipe can be made at “\(path)”: \(Errno(rawValue: errno)).")
        }
        defer { unlink(path.string) }
        // Open at both ends, so that the provider's end opens; what comes stays in it.
        let pipe = try FileDescriptor.open(path, .readWrite, options: [.nonBlocking, .closeOnExec])
        defer { try? pipe.close() }
        let context = CheckContext(
            check: check, provider: provider.writingErrors(to: path), configuration: configuration,
            capabilities: capabilities, shared: shared, hooks: hooks)
        return try await context.withGreetedEnd(body)
    }

    private func withGreetedEnd<Result: Sendable>(
        _ body: @escaping @Sendable (RawSession, ItemIdentifier) async throws -> Result
    ) async throws -> (result: Result, exit: ProcessExit) {
        try await withRawEnd { raw in
            let reply = try await raw.hello()
            guard reply.version != 0 else { throw CheckFailure("The provider refused the hello.", detail: "\(reply)") }
            return try await body(raw, try SessionCapabilities(serialized: reply.context).rootID)
        }
    }

    /// A document to read in a hostile session, found in an ordinary one: the largest.
    package func documentForHostility() async throws -> Item {
        try await withSession { try await largestDocument($0) }
    }
}

extension ProviderUnderTest {
    /// The same provider, with its standard error in a file or a pipe. A shell sees to that, which no manifest asks for:
    /// it is not confined.
    fileprivate func writingErrors(to path: FilePath) -> ProviderUnderTest {
        var manifest = bundle.manifest
        manifest.arguments = ["-c", "exec \"$@\" 2>\"$0\"", path.string, bundle.executable.string] + manifest.arguments
        return ProviderUnderTest(
            bundle: ProviderBundle(manifest: manifest, folder: bundle.folder, executable: "/bin/sh"),
            hasManifest: false, folder: folder, settings: settings, startLimit: startLimit, context: context,
            tap: tap)
    }
}
