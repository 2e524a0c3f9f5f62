// What the filter of system calls asks the shepherd: whether an opening is one of a thread of the program's own
// (own_threads.h), and whether there may be one thread or process more (tasks.h).
#ifndef DOCENT_TRAMPOLINE_NOTICES_H
#define DOCENT_TRAMPOLINE_NOTICES_H

#include <stdbool.h>

#include "tasks.h"

// Whether the running kernel can ask as it is done here.
bool notices_are_possible(void);

// In the program's process: gives the filter's listener to the shepherd, at the other end of the channel. 0, or -1 with
// errno.
int notices_send(int channel, int listener);

// In the shepherd: the listener, or -1 when there is none.
int notices_receive(int channel);

// In the shepherd: answers one of them.
void notices_answer(int listener, struct tasks *tasks);

#endif
