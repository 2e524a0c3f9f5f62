#ifndef HOST_SIMULATION_H
#define HOST_SIMULATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What a simulation puts in the place of the C library's calls, in a program that links this: time, randomness, and
// each change of a file below one folder. Everything is as ever in threads that did not ask for it.

#pragma clang assume_nonnull begin

/// A change of a file or a folder.
enum simulation_change_kind {
    SIMULATION_CREATE,
    SIMULATION_WRITE,
    SIMULATION_TRUNCATE,
    SIMULATION_MAKE_FOLDER,
    SIMULATION_UNLINK,
    SIMULATION_REMOVE_FOLDER,
    SIMULATION_RENAME,
    SIMULATION_EXCHANGE,
    SIMULATION_LINK,
    SIMULATION_SYMLINK,
    SIMULATION_ATTRIBUTES,
    SIMULATION_FLUSH,
    SIMULATION_FLUSH_ALL,
};

struct simulation_change {
    enum simulation_change_kind kind;
    /// The open file; -1 where there is none.
    int file;
    /// Absolute.
    const char *path;
    /// The second one of a rename, an exchange or a link.
    const char *_Nullable other;
    /// Of a write, and of a truncation.
    int64_t offset;
    const void *_Nullable bytes;
    size_t size;
};

/// What a simulation is asked and told. Within them nothing is simulated.
struct simulation_hooks {
    /// Returns 0 to have it done, an error number to have it fail.
    int (*before)(const struct simulation_change *change);
    /// It was done.
    void (*after)(const struct simulation_change *change);
    /// A job for Swift's global executor, due after so many nanoseconds.
    void (*enqueue)(void *job, uint64_t delay);
};

/// Begins in the calling thread.
///
/// `folder`: what is simulated, with a slash at its end. Two files in it take the place of the system's: `boot-id`, `random`.
void simulation_begin(const char *folder, const struct simulation_hooks *hooks);

/// Runs a job that was enqueued.
void simulation_run(void *job);

/// The clock that all but the date are read from, in nanoseconds.
void simulation_set_time(uint64_t nanoseconds);
/// How far the date is ahead of it.
void simulation_set_date(int64_t nanoseconds);

/// What random numbers come of, from now on.
void simulation_seed(uint64_t seed);

/// In what is between these, nothing is simulated but time.
void simulation_pause(void);
void simulation_resume(void);

/// The inode of an open file, or of a path, is changed just now.
void simulation_touched(int file, const char *_Nullable path);

/// How many changes there were.
uint64_t simulation_changes(void);

/// Makes a descriptor useless, but keeps its number taken.
void simulation_blind(int file);

/// Has addresses and hash seeds be the same in every run: runs the program anew, if need be.
int simulation_settle(char *_Nullable const *_Nonnull arguments);

#pragma clang assume_nonnull end

#endif
