#ifndef DOCENT_TERMINAL_H
#define DOCENT_TERMINAL_H

// The terminal of a full-screen program: raw while it runs, and as it was before, however the program ends. One at a
// time in a process.

/// Remembers the terminal's settings, makes it raw, writes `enter`, and watches the signals: those that end, suspend,
/// continue or resize write their number as one byte to `wake` and do nothing else; a crash puts the terminal back, writes
/// `leave`, and goes on as a crash. Both texts must stay where they are until `docent_terminal_leave`.
/// Returns 0, or a negative error number with nothing changed.
int docent_terminal_enter(int terminal, int wake, const char *_Nonnull enter, const char *_Nonnull leave);

/// Puts everything back and writes `leave`. Harmless when nothing was entered.
void docent_terminal_leave(void);

/// Puts the terminal back, stops the process as the suspend key does, and when it goes on makes the terminal raw again and
/// writes `enter`.
void docent_terminal_suspend(void);

/// The terminal's size in characters. Returns 0, or a negative error number.
int docent_terminal_size(int terminal, unsigned short *_Nonnull columns, unsigned short *_Nonnull rows);

#endif
