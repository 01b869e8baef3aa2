/* A crash that is told after the restart: a fault handler keeps it in memory that a reset leaves alone. */
#ifndef CRASH_H
#define CRASH_H

#include <stddef.h>
#include <stdint.h>

#define CRASH_MOST_RETURNS 32

typedef struct {
  uint32_t magic;
  uint32_t sequence; /* of the crashes since power was last off */
  uint32_t is_due;   /* it is yet to be told */
  uintptr_t pc, lr;
  uint32_t return_count;
  uintptr_t returns[CRASH_MOST_RETURNS];
  char reason[32], thread[32];
  /* Of the image that crashed: after an update another one starts, and tells of it. */
  char build_id[65];
  /* Over all before it: after power was off, memory holds anything. */
  uint32_t check;
} crash_record;

typedef struct {
  const char *reason, *thread;
  uintptr_t pc, lr;
  /* From the stack pointer to the end of the stack, which is scanned for return addresses. */
  const uintptr_t *stack, *stack_end;
} crash_facts;

/* For the fault handler: needs no heap, no lock and little stack, and reads nothing outside of the stack and the code. */
void crash_keep(const crash_facts *facts);

/* Whether there is memory for a crash: without it none is ever told, which the service must know. */
int crash_can_keep(void);
/* The crash of an earlier run; NULL when there is none. */
const crash_record *crash_kept(void);
/* It was told. */
void crash_forget(void);
/* 0 when the message of the protocol fits. */
int crash_write(const crash_record *crash, const char *slug, const char *run_id, char *text, size_t size);

#endif
