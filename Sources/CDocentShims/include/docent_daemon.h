// Starting a process that outlives the one that starts it.
#ifndef DOCENT_DAEMON_H
#define DOCENT_DAEMON_H

#include <sys/types.h>

#pragma clang assume_nonnull begin

/// Starts a program that is nobody's child: own session, "/" as its folder, no descriptors but /dev/null as its input
/// and `log` as its output and errors, no signal blocked or ignored. Returns its process id. A program that cannot be
/// run is a failure too.
pid_t docent_start_daemon(const char *path, char *_Nullable const *_Nonnull arguments,
                          char *_Nullable const *_Nonnull environment, int log);

/// A descriptor that becomes readable when the process ends; -ESRCH when it has ended.
int docent_open_process(pid_t process);

/// Asks the process behind the descriptor to end (SIGTERM): 0, or a negative error number.
int docent_end_process(int descriptor);

/// Whether the process behind the descriptor has ended: 1, 0.
int docent_process_has_ended(int descriptor);

#pragma clang assume_nonnull end

#endif
