#include "docent_digest.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "docent_copying.h"

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static void add_block(uint32_t state[8], const uint8_t *block) {
    uint32_t words[64];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t one = words[i - 15], two = words[i - 2];
        words[i] = words[i - 16] + (turn(one, 7) ^ turn(one, 18) ^ one >> 3) + words[i - 7] +
                   (turn(two, 17) ^ turn(two, 19) ^ two >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + constants[i] + words[i];
        uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

/// Adds what is left of the file, fewer than 64 bytes, and the length of all of it.
static void add_end(uint32_t state[8], const uint8_t *rest, size_t left, uint64_t length) {
    uint8_t end[128] = {0};
    memcpy(end, rest, left);
    end[left] = 0x80;
    size_t size = left < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++) end[size - 1 - i] = (uint8_t)(length * 8 >> (8 * i));
    for (size_t place = 0; place < size; place += 64) add_block(state, end + place);
}

int64_t docent_file_digest(int file, int64_t most, uint8_t *digest) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    enum { room = 1 << 18 };
    uint8_t *buffer = malloc(room);
    if (!buffer) return -ENOMEM;
    int64_t length = 0;
    size_t held = 0;
    int64_t result = 0;
    while (length <= most) {
        int64_t wanted = most + 1 - length;
        size_t free_room = room - held;
        ssize_t count = docent_pread(
            file, buffer + held, wanted < (int64_t)free_room ? (size_t)wanted : free_room, length);
        if (count < 0) result = count;
        if (count <= 0) break;
        length += count;
        held += (size_t)count;
        size_t done = held / 64 * 64;
        for (size_t place = 0; place < done; place += 64) add_block(state, buffer + place);
        held -= done;
        memmove(buffer, buffer + done, held);
    }
    if (result == 0) {
        add_end(state, buffer, held, (uint64_t)length);
        for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
        result = length;
    }
    free(buffer);
    return result;
}
