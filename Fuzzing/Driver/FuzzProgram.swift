import CFuzzDriver
import DocumentFuzzing
import Glibc

/// `docent-fuzz TARGET [libFuzzer's arguments]`, and `docent-fuzz --list`.
@main enum FuzzProgram {
    /// Set once, before libFuzzer calls back: its callback is a C function and captures nothing.
    nonisolated(unsafe) private static var target: (any FuzzTarget.Type)?

    private static let targetKey = "DOCENT_FUZZ_TARGET"

    static func main() {
        let name = CommandLine.arguments.dropFirst().first
        if name == "--list" {
            for target in FuzzTargets.all { print(target.name) }
            return
        }
        if let name, name.hasPrefix("-"), let inherited = getenv(targetKey).map({ String(cString: $0) }),
            let target = FuzzTargets.named(inherited)
        {
            run(target, CommandLine.argc, CommandLine.unsafeArgv)
        }
        guard let name, let target = FuzzTargets.named(name) else {
            complain("Usage: docent-fuzz TARGET [libFuzzer's arguments]. docent-fuzz --list names the targets.")
            exit(64)
        }
        // libFuzzer starts the program anew, without the target, when it merges inputs.
        setenv(targetKey, name, 1)
        // It sees a program of its own: the name, and what follows the target.
        let arguments = CommandLine.unsafeArgv
        arguments[1] = arguments[0]
        run(target, CommandLine.argc - 1, arguments + 1)
    }

    private static func run(
        _ target: any FuzzTarget.Type, _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Never {
        Self.target = target
        let status = fuzz_driver_run(count, arguments) { bytes, count in
            Self.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
        guard status >= 0 else {
            complain("This docent-fuzz was built without libFuzzer: use scripts/fuzz \(target.name).")
            exit(64)
        }
        exit(status)
    }

    private static func take(_ input: [UInt8]) {
        do throws(FuzzFinding) {
            try target?.run(input)
        } catch {
            complain("FINDING: \(error)")
            abort()
        }
    }

    private static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
