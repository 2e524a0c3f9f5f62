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
                throw DocumentError(
                    .providerUnavailable,
                    "No pipe can be made for a provider: \(error). Try again later, or give the host more descriptors (“ulimit -n”)."
                )
            }
        }
        (childInput, writing) = try pipe()
        (reading, childOutput) = try pipe()
        (errors, childErrors) = try pipe()
        do throws(DocumentError) {
            try Self.checkRoom()
        } catch {
            for descriptor in made { try? descriptor.close() }
            throw error
        }
        _ = fcntl(errors.rawValue, F_SETFL, fcntl(errors.rawValue, F_GETFL) | O_NONBLOCK)
    }

    /// So many descriptors the launch takes beside the pipes. One of them is the handle on the process: without that, nobody
    /// would hear of its end.
    private static let room = 8

    /// Somebody else may take them meanwhile: then the launch fails as far as it can tell.
    private static func checkRoom() throws(DocumentError) {
        var spare: [Int32] = []
        defer { for descriptor in spare { _ = Glibc.close(descriptor) } }
        for _ in 0..<room {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw DocumentError(
                    .providerUnavailable,
                    "There are too few descriptors left to start a provider: \(Errno(rawValue: errno)). Try again later, or give the host more (“ulimit -n”)."
                )
            }
            spare.append(descriptor)
        }
    }

    /// Nothing was started.
    func closeOurs() {
        for descriptor in [writing, reading, errors] { try? descriptor.close() }
    }
}
