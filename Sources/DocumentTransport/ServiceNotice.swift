import CDocentShims
import Glibc

/// What a service tells the one who has started it, as systemd expects it of `Type=notify` (sd_notify(3)). For executables.
package enum ServiceNotice {
    /// Names the socket of whoever waits for it, in the environment.
    package static let socket = "NOTIFY_SOCKET"

    /// It can be used from now on. Where nobody waits for that, nobody is told.
    package static func ready() {
        guard let path = getenv(socket) else { return }
        _ = docent_unix_tell(path, "READY=1")
    }
}
