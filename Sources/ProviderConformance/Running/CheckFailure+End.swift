import ProviderLauncher

extension CheckFailure {
    /// The same, when it is known how the provider's process ended, and what it wrote to standard error last.
    func told(of exit: ProcessExit) -> CheckFailure {
        var failure = self
        let isOwn = !exit.wasForced
        if isOfEnd, isOwn {
            failure.message += " At its end \(exit.words)."
        } else if isOwn, exit.status != .exited(0) {
            failure.add("At its end \(exit.words).")
        }
        if !exit.detail.isEmpty { failure.add(exit.detail) }
        return failure
    }

    private mutating func add(_ line: String) {
        if !detail.contains(line) { detail += (detail.isEmpty ? "" : "\n") + line }
    }
}
