// A confined program may look at its own threads.
//
// libdispatch reads /proc/TID/stat of the threads of its pools, and ends the program when it cannot. Landlock has no
// rule for that: a thread's folder is there once the thread is, and /proc as a whole is everybody's. So the filter of
// system calls hands such an opening to the shepherd, which opens the file itself when it is one of a thread of the
// caller's own process. Whatever else is asked goes on as if nobody had been asked: Landlock decides.
#ifndef DOCENT_TRAMPOLINE_OWN_THREADS_H
#define DOCENT_TRAMPOLINE_OWN_THREADS_H

#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdbool.h>

// The flags of an opening that is handed over, without those that make no difference: what libdispatch uses, and few
// others do.
enum { OWN_THREADS_FLAGS = O_RDONLY | O_NONBLOCK, OWN_THREADS_OTHER_FLAGS = O_CLOEXEC | 0100000 /* O_LARGEFILE */ };

// In the shepherd: answers an opening that is about a thread of the caller's own. Gives false, and leaves the answer to
// whoever asked, for any other.
bool own_threads_open(int listener, const struct seccomp_notif *request);

#endif
