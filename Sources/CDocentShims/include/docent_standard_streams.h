// Standard streams of a process that speaks frames over them.
#ifndef DOCENT_STANDARD_STREAMS_H
#define DOCENT_STANDARD_STREAMS_H

#pragma clang assume_nonnull begin

/// Moves the frames out of the reach of everybody else: gives private close-on-exec duplicates of 0 and 1, and leaves
/// the null device on 0 and standard error on 1, where prints then go, by lines.
int docent_protect_standard_streams(int *input, int *output);

/// Ends the process with status 0 when nobody has the other end of the pipe or socket open any more, after a grace in
/// which it may end by itself. Watches from a thread of its own, which does nothing else: work that is stuck, whatever
/// it is, must not keep a process alive that has lost its host.
int docent_exit_after_hang_up(int file, int grace_milliseconds);

#pragma clang assume_nonnull end

#endif
