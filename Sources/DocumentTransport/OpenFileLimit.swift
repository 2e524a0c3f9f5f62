import Glibc

/// How many files this process may have open: each connection of the host is one of them, and each document that some program
/// has open through the mount. For executables.
package enum OpenFileLimit {
    /// As many as the system allows. Shells and services give a thousand of the hundred thousands that it does.
    package static func raise() {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(files, &limit)
    }
}
