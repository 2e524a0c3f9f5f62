#ifndef DOCENT_LIBRARIES_H
#define DOCENT_LIBRARIES_H

/// The path of the library, or the program, that a symbol of this process comes from; null when there is no such symbol.
/// It stays valid.
const char *docent_library_of(const char *symbol);

#endif
