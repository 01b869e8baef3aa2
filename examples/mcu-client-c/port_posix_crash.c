/* Crashes played on Linux: a signal as the fault, the program started anew as the reset, a file as the memory that stays. */
#define _GNU_SOURCE /* names of registers in ucontext.h */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "crash.h"
#include "port.h"
#include "port_posix_crash.h"

static uintptr_t loaded_at, code_begin, code_end;
static char build_id[65];
static void *memory;
static const uintptr_t *stack_end;

static void read_note(const ElfW(Phdr) *segment) {
  const uint8_t *at = (const uint8_t *)(loaded_at + segment->p_vaddr), *end = at + segment->p_memsz;
  while (at + sizeof(ElfW(Nhdr)) < end) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)at;
    const uint8_t *name = at + sizeof *note, *id = name + ((note->n_namesz + 3u) & ~3u);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= 32)
      for (uint32_t byte = 0; byte < note->n_descsz; byte++) snprintf(build_id + 2 * byte, 3, "%02x", id[byte]);
    at = id + ((note->n_descsz + 3u) & ~3u);
  }
}

/* The program's own headers say where its code is, and what its build id is. */
static void read_program(void) {
  const ElfW(Phdr) *segments = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  size_t count = getauxval(AT_PHNUM);
  for (size_t index = 0; index < count; index++)
    if (segments[index].p_type == PT_PHDR) loaded_at = (uintptr_t)segments - segments[index].p_vaddr;
  for (size_t index = 0; index < count; index++) {
    if (segments[index].p_type == PT_NOTE) read_note(&segments[index]);
    if (segments[index].p_type != PT_LOAD || (segments[index].p_flags & PF_X) == 0) continue;
    code_begin = loaded_at + segments[index].p_vaddr;
    code_end = code_begin + segments[index].p_memsz;
  }
}

void *port_crash_memory(size_t size) {
  char path[512];
  const char *folder = getenv("PLIMSOLL_STATE");
  int file;
  if (memory != NULL) return memory;
  snprintf(path, sizeof path, "%s/noinit", folder != NULL && *folder != 0 ? folder : "device-state");
  port_running_version(); /* makes the folder */
  file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) exit(1);
  memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) exit(1);
  return memory;
}

const char *port_build_id(void) { return build_id; }

uintptr_t port_code_address(uintptr_t address) {
  return address >= code_begin && address < code_end ? address - loaded_at : address;
}

int port_is_return(uintptr_t address) {
  if (address < code_begin + 7 || address >= code_end) return 0;
#if defined(__x86_64__) || defined(__i386__)
  const uint8_t *next = (const uint8_t *)address;
  if (next[-5] == 0xe8) return 1; /* CALL relative */
  for (int size = 2; size <= 7; size++)
    if (next[-size] == 0xff && (next[1 - size] & 0x38) == 0x10) return 1; /* CALL through register or memory */
  return 0;
#elif defined(__aarch64__)
  uint32_t call;
  if (address % 4 != 0) return 0;
  memcpy(&call, (const void *)(address - 4), sizeof call);
  return (call & 0xfc000000u) == 0x94000000u || (call & 0xfffffc1fu) == 0xd63f0000u; /* BL, BLR */
#else
  return 1;
#endif
}

static const char *reason_of(int number) {
  switch (number) {
  case SIGSEGV: return "SIGSEGV";
  case SIGBUS: return "SIGBUS";
  case SIGILL: return "SIGILL";
  case SIGFPE: return "SIGFPE";
  default: return "SIGABRT";
  }
}

static void take_fault(int number, siginfo_t *info, void *context) {
  crash_facts facts = {reason_of(number), "main", 0, 0, NULL, NULL};
  const ucontext_t *at = context;
  (void)info;
#if defined(__x86_64__)
  facts.pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
  facts.stack = (const uintptr_t *)at->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  facts.pc = at->uc_mcontext.pc;
  facts.lr = at->uc_mcontext.regs[30];
  facts.stack = (const uintptr_t *)at->uc_mcontext.sp;
#else
  (void)at;
#endif
  facts.stack_end = facts.stack == NULL ? NULL : stack_end;
  crash_keep(&facts);
  port_reboot();
}

void port_watch_faults(const void *stack_begin) {
  static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  struct sigaction action = {0};
  stack_end = stack_begin;
  read_program();
  port_crash_memory(sizeof(crash_record));
  action.sa_sigaction = take_fault;
  /* Not blocked while it is handled: the program that is started anew would inherit that. */
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (size_t index = 0; index < sizeof SIGNALS / sizeof *SIGNALS; index++) sigaction(SIGNALS[index], &action, NULL);
}
