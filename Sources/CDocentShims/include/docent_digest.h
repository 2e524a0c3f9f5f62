// The digest of a file's contents, for programs that are to stay small and link no library for it.
#ifndef DOCENT_DIGEST_H
#define DOCENT_DIGEST_H

#include <stdint.h>

#pragma clang assume_nonnull begin

/// The SHA-256 (FIPS 180-4) of a file from its first byte on; reads one byte more than `most` at most.
///
/// Returns how many bytes it is of, or the negative error number. `digest` has room for 32 bytes.
int64_t docent_file_digest(int file, int64_t most, uint8_t *digest);

#pragma clang assume_nonnull end

#endif
