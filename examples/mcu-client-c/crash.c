#include "crash.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "port.h"

#define MAGIC 0x43524153u

/* FNV-1a. */
static uint32_t check_of(const crash_record *crash) {
  const uint8_t *bytes = (const uint8_t *)crash;
  uint32_t sum = 2166136261u;
  for (size_t at = 0; at < offsetof(crash_record, check); at++) sum = (sum ^ bytes[at]) * 16777619u;
  return sum;
}

static bool is_whole(const crash_record *crash) {
  return crash != NULL && crash->magic == MAGIC && crash->return_count <= CRASH_MOST_RETURNS && crash->check == check_of(crash);
}

/* Not snprintf, which may take a lock or the heap that has just gone wrong. */
static void copy_text(char *to, size_t size, const char *from) {
  size_t at = 0;
  if (from != NULL)
    for (; at < size - 1 && from[at] != 0; at++) to[at] = from[at];
  to[at] = 0;
}

void crash_keep(const crash_facts *facts) {
  crash_record *crash = port_crash_memory(sizeof(crash_record));
  uint32_t sequence = is_whole(crash) ? crash->sequence + 1 : 1;
  if (crash == NULL) return;
  memset(crash, 0, sizeof *crash);
  crash->magic = MAGIC;
  crash->sequence = sequence;
  crash->is_due = 1;
  crash->pc = port_code_address(facts->pc);
  crash->lr = port_code_address(facts->lr);
  copy_text(crash->reason, sizeof crash->reason, facts->reason);
  copy_text(crash->thread, sizeof crash->thread, facts->thread);
  copy_text(crash->build_id, sizeof crash->build_id, port_build_id());
  /* Without frame pointers nobody knows where the frames begin. Each word behind which a call stands is taken for a
     return address: a stale one among them costs little, a missing one a whole function. */
  for (const uintptr_t *at = facts->stack; at < facts->stack_end; at++) {
    if (crash->return_count == CRASH_MOST_RETURNS) break;
    if (*at != facts->lr && port_is_return(*at)) crash->returns[crash->return_count++] = port_code_address(*at);
  }
  crash->check = check_of(crash);
}

int crash_can_keep(void) { return port_crash_memory(sizeof(crash_record)) != NULL; }

const crash_record *crash_kept(void) {
  const crash_record *crash = port_crash_memory(sizeof(crash_record));
  return is_whole(crash) && crash->is_due == 1 ? crash : NULL;
}

void crash_forget(void) {
  crash_record *crash = port_crash_memory(sizeof(crash_record));
  uint32_t sequence = is_whole(crash) ? crash->sequence : 0;
  if (crash == NULL) return;
  /* The number goes on, so that the next crash is not taken for this one. */
  memset(crash, 0, sizeof *crash);
  crash->magic = MAGIC;
  crash->sequence = sequence;
  crash->check = check_of(crash);
}

/* Grows by what snprintf would have written, so that the end tells whether all of it fitted. */
typedef struct {
  char *text;
  size_t size, length;
} message;

static void put(message *to, const char *format, ...) {
  va_list values;
  size_t room = to->length < to->size ? to->size - to->length : 0;
  int wanted;
  va_start(values, format);
  wanted = vsnprintf(room > 0 ? to->text + to->length : NULL, room, format, values);
  va_end(values);
  to->length += wanted > 0 ? (size_t)wanted : 0;
}

static void put_text(message *to, const char *name, const char *value) {
  char escaped[200];
  if (*value == 0) return;
  json_escape(value, escaped, sizeof escaped);
  put(to, ",\"%s\":\"%s\"", name, escaped);
}

int crash_write(const crash_record *crash, const char *slug, const char *run_id, char *text, size_t size) {
  message to = {text, size, 0};
  put(&to, "[{\"sequence\":%lu,\"pc\":\"0x%llx\"", (unsigned long)crash->sequence, (unsigned long long)crash->pc);
  if (crash->lr != 0) put(&to, ",\"lr\":\"0x%llx\"", (unsigned long long)crash->lr);
  put(&to, ",\"returnAddresses\":[");
  for (uint32_t index = 0; index < crash->return_count; index++)
    put(&to, "%s\"0x%llx\"", index == 0 ? "" : ",", (unsigned long long)crash->returns[index]);
  put(&to, "]");
  put_text(&to, "reason", *crash->reason == 0 ? "unknown" : crash->reason);
  put_text(&to, "thread", crash->thread);
  put_text(&to, "buildId", crash->build_id);
  put_text(&to, "slug", slug);
  put_text(&to, "runId", run_id);
  put(&to, "}]");
  return to.length < size ? 0 : -1;
}
