/* SHA-256 (FIPS 180-4). Use that of your crypto library or hardware where you have one. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t state[8];
  uint64_t bytes;
  uint8_t block[64];
} sha256_context;

void sha256_begin(sha256_context *context);
void sha256_add(sha256_context *context, const void *data, size_t size);
/* 64 hexadecimal digits in lower case, and a zero. */
void sha256_end(sha256_context *context, char text[65]);

#endif
