// Watching folders with inotify, and a descriptor to wake the watcher.
#ifndef DOCENT_WATCHING_H
#define DOCENT_WATCHING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

enum docent_watch_flag {
    DOCENT_WATCH_FOLDER = 1,
    DOCENT_WATCH_OVERFLOW = 2,
    /// The watch is gone: its folder was removed or unmounted, or the watch was taken back.
    DOCENT_WATCH_ENDED = 4,
    DOCENT_WATCH_UNMOUNTED = 8,
    DOCENT_WATCH_MOVED_FROM = 16,
    DOCENT_WATCH_MOVED_TO = 32,
    /// About the watched folder itself.
    DOCENT_WATCH_SELF = 64,
    DOCENT_WATCH_MADE = 128,
    DOCENT_WATCH_REMOVED = 256,
    DOCENT_WATCH_WRITTEN = 512,
    /// One who could write has closed the file.
    DOCENT_WATCH_CLOSED = 1024,
    /// The watched folder has another place by now.
    DOCENT_WATCH_SELF_MOVED = 2048,
};

struct docent_watch_event {
    int32_t watch;
    uint32_t flags;
    /// Joins the two halves of a move; 0 for others.
    uint32_t cookie;
    /// Points into the buffer; ends with a NUL; empty when it is about the folder itself.
    const char *_Nullable name;
    size_t name_length;
};

/// A new watcher, which does not block. -EMFILE when the user has too many.
int docent_watcher_open(void);

/// Watches an open folder for changes of its entries. -ENOSPC at the limit of watches.
int docent_watch_add(int watcher, int folder);
int docent_watch_remove(int watcher, int watch);

/// Fills the buffer with events (4 KiB or more); -EAGAIN when there is none.
ssize_t docent_watch_read(int watcher, void *buffer, size_t size);

/// Reads the event at an offset of a filled buffer, and returns the offset of the next one; 0 at the end.
size_t docent_watch_event_at(
    const void *buffer, size_t filled, size_t offset, struct docent_watch_event *event);

int docent_wakeup_open(void);
int docent_wakeup_signal(int wakeup);
int docent_wakeup_clear(int wakeup);

/// Waits until one of two descriptors (the first may be negative: none) can be read. Returns 0 for a time-out, else 1
/// for the first, 2 for the second, 3 for both. A negative time waits for ever.
int docent_wait_either(int first, int second, int milliseconds);

#pragma clang assume_nonnull end

#endif
