// Limits of processes.
#ifndef DOCENT_LIMITS_H
#define DOCENT_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

/// Lets a process of our own user write files up to a size and no further. Gives 0 or the negative error number.
int docent_limit_files(pid_t process, uint64_t bytes);

/// From now on a crash of this process writes no memory to a file; it may have secrets in it.
void docent_leave_no_core(void);

#endif
