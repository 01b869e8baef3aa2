#include "sha256.h"

#include <string.h>

static const uint32_t ROUND[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void take_block(sha256_context *context) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++) {
    const uint8_t *at = context->block + 4 * i;
    w[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(s, context->state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t a = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25);
    uint32_t b = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t first = s[7] + a + choice + ROUND[i] + w[i];
    uint32_t second = b + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; i++) context->state[i] += s[i];
}

void sha256_begin(sha256_context *context) {
  static const uint32_t start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  };
  memcpy(context->state, start, sizeof start);
  context->bytes = 0;
}

void sha256_add(sha256_context *context, const void *data, size_t size) {
  const uint8_t *byte = data;
  for (size_t i = 0; i < size; i++) {
    context->block[context->bytes++ % 64] = byte[i];
    if (context->bytes % 64 == 0) take_block(context);
  }
}

void sha256_end(sha256_context *context, char text[65]) {
  static const char digits[] = "0123456789abcdef";
  uint64_t bits = context->bytes * 8;
  uint8_t length[8];
  sha256_add(context, "\x80", 1);
  while (context->bytes % 64 != 56) sha256_add(context, "", 1);
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  sha256_add(context, length, sizeof length);
  for (int i = 0; i < 64; i++) text[i] = digits[context->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
  text[64] = 0;
}
