// Child processes: what they used, and taking in those that are not ours by birth.
#ifndef DOCENT_PROCESSES_H
#define DOCENT_PROCESSES_H

#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

/// What a process that has ended, and the children that it took in, used.
struct docent_usage {
    int64_t user_microseconds;
    int64_t system_microseconds;
    /// The largest that one of them was, in memory.
    int64_t peak_kibibytes;
    int64_t page_faults;
    int64_t blocks_read;
    int64_t blocks_written;
};

/// Of the child behind a process descriptor, which has ended and is not taken in yet; it stays so.
int docent_child_usage(int descriptor, struct docent_usage *usage);

/// Has the orphans among this process's descendants become its children.
int docent_adopt_orphans(void);

/// Kills a child.
int docent_kill_child(pid_t child);

/// Takes in a child that has ended: 1, or 0 when it has not ended yet.
int docent_take_in_child(pid_t child);

#pragma clang assume_nonnull end

#endif
