import Glibc

/// Makes a write to a pipe without a reader fail with `EPIPE` instead of ending the process. For executables, before
/// their first connection.
package func ignoreBrokenPipeSignal() {
    signal(SIGPIPE, SIG_IGN)
}
