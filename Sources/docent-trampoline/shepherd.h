#ifndef DOCENT_SHEPHERD_H
#define DOCENT_SHEPHERD_H

#include <sys/types.h>

// Stays above one provider for as long as it lives, and sees to it that nothing of it is left afterwards: when the
// provider ends, when the host asks, and when the host is gone, however it went.
//
// It adopts whatever the provider leaves behind, sessions of their own included, because it is their subreaper. What it
// hands to the host is the provider's own end: it exits with its status, or by its signal, and its resource use
// includes theirs.
//
// Signals from the host: SIGTERM, SIGINT and SIGHUP go on to the provider's process group, SIGUSR1 kills all there is.
//
// `processes` is how many others the provider may start: it limits its threads as well (tasks.h), if it is confined.
//
// `become` runs in the provider's process, with its end of a channel to the shepherd; what it returns is its exit status.
// The process that calls this is the child of `host`. Does not return.
_Noreturn void docent_shepherd(pid_t host, unsigned processes, int (*become)(void *, int channel), void *context);

#endif
