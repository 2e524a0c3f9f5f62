internal import Glibc

/// How a provider's process ended.
package struct ProcessExit: Hashable, Sendable {
    package enum Status: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package var status: Status
    /// It did not end by itself when it should have.
    package var wasForced: Bool
    /// The last lines that it wrote to standard error.
    package var lastWords: [String]
    /// What it and everything that it started used; nil when that could not be told.
    package var usage: ResourceUsage?

    /// The end of a sentence about the provider: `it exited with status 3`.
    package var words: String {
        switch status {
        case .exited(let status): "it exited with status \(status)"
        case .signalled(let number):
            "it was ended by signal \(number)" + (Self.name(of: number).map { " (\($0))" } ?? "")
        }
    }

    /// For developers: the last lines, one below the other.
    package var detail: String {
        lastWords.isEmpty ? "" : "standard error:\n" + lastWords.map { "  " + $0 }.joined(separator: "\n")
    }

    static func name(of number: Int32) -> String? {
        let names: [Int32: String] = [
            SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
            SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV",
            SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
            SIGSYS: "SIGSYS",
        ]
        return names[number]
    }
}
