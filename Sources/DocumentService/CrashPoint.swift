import DocumentHost
import DocumentStorage
import Glibc

/// Ends the daemon as a crash would, right after a journaled step: how tests find out what a start makes of it. Debug
/// builds only.
struct CrashPoint: DocumentHost.Observer {
    /// The step's name, for example `sendSnapshotTaken`.
    static let environmentKey = "DOCENT_TEST_KILL_AT_STEP"

    let step: JournalStep

    static func fromEnvironment() -> CrashPoint? {
        #if DEBUG
            guard let name = getenv(environmentKey) else { return nil }
            return JournalStep(rawValue: String(cString: name)).map(CrashPoint.init)
        #else
            return nil
        #endif
    }

    func reached(_ step: JournalStep) {
        if step == self.step { kill(getpid(), SIGKILL) }
    }
}
