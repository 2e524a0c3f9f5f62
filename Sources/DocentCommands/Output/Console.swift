import DocumentModel
import Glibc
import SystemPackage

/// Standard output and standard error.
enum Console {
    /// Whoever read the output has gone: nothing is left to be done, and nothing is wrong.
    struct ReaderHasGone: Error {}

    /// Takes the places of standard descriptors that are closed, so that no file or socket of ours gets one of them, and
    /// output for nobody goes into it. To use one of them stays the error that it was.
    static func keepStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest one that is free.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes text to standard output.
    static func print(_ text: String, terminator: String = "\n") throws {
        var text = text + terminator
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes to standard output.
    ///
    /// - Throws: ``ReaderHasGone``, and a `DocumentError` that says why the output cannot be written.
    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        do {
            _ = try FileDescriptor.standardOutput.writeAll(bytes)
        } catch let error as Errno where error == .brokenPipe {
            throw ReaderHasGone()
        } catch let error as Errno {
            throw OutputFailure.error(error)
        }
    }

    /// Writes to standard error. When nobody can be told, nobody is.
    static func complain(_ text: String, terminator: String = "\n") {
        _ = try? FileDescriptor.standardError.writeAll(Array((text + terminator).utf8))
    }

    static var errorsGoToATerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static var errorWidth: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
