import ArgumentParser
import Foundation
import Glibc
import ProviderConformance
import Synchronization

/// What the program prints and how it ends.
enum ToolOutput {
    /// The error number with which standard output has ended.
    private static let ending = Mutex(Int32?.none)

    /// Prints to standard output. When it cannot be written any more, the run goes on for its reports.
    static func print(_ text: String) {
        ending.withLock { ending in
            guard ending == nil else { return }
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let written = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                if written > 0 {
                    bytes = bytes.dropFirst(written)
                } else if errno != EINTR {
                    ending = errno
                    // Who has closed it knows.
                    if errno != EPIPE {
                        complain("Standard output cannot be written any more: \(String(cString: strerror(errno))).")
                    }
                    return
                }
            }
        }
    }

    /// Whether all was printed that anybody wanted to read.
    static var isWhole: Bool { ending.withLock { $0 == nil || $0 == EPIPE } }

    /// - Throws: ``ConformanceUsageError`` with the file that cannot be written.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw ConformanceUsageError("“\(path)” cannot be written: \(ConfigurationFile.words(forWriting: path)).")
        }
    }

    static func complain(_ text: String) {
        // There is nobody else to tell.
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Ends the program because of an error.
    ///
    /// - Parameters:
    ///   - status: the exit status, if it is known; else what the error says.
    ///   - message: ArgumentParser's words for it.
    static func end(_ status: Int32?, _ error: any Error, _ message: String) -> Never {
        switch error {
        case let error as ConformanceUsageError:
            complain("Error: \(error.message)")
            exit(2)
        case let error as KitError:
            complain("The kit failed: \(error.message)")
            exit(3)
        case let code as ExitCode:
            exit(code.rawValue)
        default:
            let usual = ConformanceTool.exitCode(for: error)
            if usual == .success {
                print(message + "\n")
                exit(0)
            }
            complain(message)
            exit(status ?? 3)
        }
    }
}
