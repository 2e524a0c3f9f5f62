// Limits of processes.
#ifndef DOCENT_LIMITS_H
#define DOCENT_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

/// Lets a process of our own user write files up to a size and no further. Gives 0 or the negative error number.
int docent_limit_files(pid_t process, uint64_t bytes);

/// From now on a crash of this process ends it at once, and writes no memory to a file or a log: it may have secrets in it, and
/// who waits for the process is not kept waiting. What Swift's runtime would print has registers and memory in it, and takes
/// its time with all threads stopped; whoever looks for a mistake sets SWIFT_BACKTRACE, which is left as it is.
void docent_leave_no_core(void);

#endif
