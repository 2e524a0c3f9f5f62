// What root has beyond other users.
#ifndef DOCENT_TRAMPOLINE_PRIVILEGES_H
#define DOCENT_TRAMPOLINE_PRIVILEGES_H

// Gives up every capability, for good: a host that root runs must not make its providers mighty. 0, or -1 with errno.
int privileges_drop(void);

#endif
