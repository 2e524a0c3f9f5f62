internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// The three pipes of a provider. All ends are close-on-exec; ours for the frames belong to whoever runs the process.
struct ProviderPipes: Sendable {
    let childInput: FileDescriptor
    let childOutput: FileDescriptor
    let childErrors: FileDescriptor
    let writing: FileDescriptor
    let reading: FileDescriptor
    /// Non-blocking.
    let errors: FileDescriptor

    init() throws(DocumentError) {
        var made: [FileDescriptor] = []
        func pipe() throws(DocumentError) -> (readEnd: FileDescriptor, writeEnd: FileDescriptor) {
            do {
                let pipe = try FileDescriptor.pipe(options: .closeOnExec)
                made += [pipe.readEnd, pipe.writeEnd]
                return pipe
            } catch {
                for descriptor in made { try? descriptor.close() }
                throw DocumentError(.providerUnavailable, "No pipe can be made for a provider: \(error).")
            }
        }
        (childInput, writing) = try pipe()
        (reading, childOutput) = try pipe()
        (errors, childErrors) = try pipe()
        _ = fcntl(errors.rawValue, F_SETFL, fcntl(errors.rawValue, F_GETFL) | O_NONBLOCK)
    }

    /// Nothing was started.
    func closeOurs() {
        for descriptor in [writing, reading, errors] { try? descriptor.close() }
    }
}
