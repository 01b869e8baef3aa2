/* What port.h wants for crashes, on ARM Cortex-M with ARMv7-M or ARMv8-M mainline: compile it in place of port_posix_crash.c.
   A scheduler that has a fault hook (Zephyr: k_sys_fatal_error_handler) calls crash_keep from there in place of HardFault_Handler.

   Your linker script gives these, and a section for the record that the start-up code does not clear:
     .noinit (NOLOAD) : { *(.noinit*) } > RAM
     .note.gnu.build-id : { build_id_note = .; KEEP(*(.note.gnu.build-id)) } > FLASH      with -Wl,--build-id */
#include <stddef.h>
#include <stdint.h>

#include "crash.h"
#include "port.h"

extern const uint8_t code_begin[], code_end[], ram_end[];
extern const uint32_t build_id_note[];

#define CFSR (*(volatile uint32_t *)0xe000ed28u)
#define AIRCR (*(volatile uint32_t *)0xe000ed0cu)
#define MOST_STACK_WORDS 512

void *port_crash_memory(size_t size) {
  static crash_record record __attribute__((section(".noinit")));
  return size <= sizeof record ? &record : NULL;
}

/* A note has the sizes of name and content, its type, "GNU\0", and then the id. */
const char *port_build_id(void) {
  static char text[65];
  const uint8_t *id = (const uint8_t *)(build_id_note + 4);
  uint32_t size = build_id_note[1] > 32 ? 32 : build_id_note[1];
  for (uint32_t at = 0; at < size; at++) {
    text[2 * at] = "0123456789abcdef"[id[at] >> 4];
    text[2 * at + 1] = "0123456789abcdef"[id[at] & 15];
  }
  return text;
}

/* The code runs where the ELF file says; bit 0 of an address of code says Thumb. */
uintptr_t port_code_address(uintptr_t address) { return address & ~(uintptr_t)1; }

int port_is_return(uintptr_t address) {
  uintptr_t code = address & ~(uintptr_t)1;
  const uint16_t *next = (const uint16_t *)code;
  if ((address & 1) == 0 || code < (uintptr_t)code_begin + 4 || code >= (uintptr_t)code_end) return 0;
  if ((next[-1] & 0xff87) == 0x4780) return 1;                              /* BLX register */
  return (next[-2] & 0xf800) == 0xf000 && (next[-1] & 0xd000) == 0xd000; /* BL */
}

static const char *reason_of(uint32_t status) {
  if (status & 0x02000000u) return "UsageFault: division by zero";
  if (status & 0x01000000u) return "UsageFault: unaligned access";
  if (status & 0x00010000u) return "UsageFault: undefined code";
  if (status & 0xffff0000u) return "UsageFault";
  if (status & 0x00001000u) return "BusFault: stacking failed";
  if (status & 0x0000ff00u) return "BusFault";
  if (status & 0x000000ffu) return "MemManage";
  return "HardFault";
}

/* The processor has put r0 to r3, r12, lr, pc and the status on the stack before (ARMv7-M, B1.5.6). */
__attribute__((used)) static void take_fault(const uint32_t *frame) {
  crash_facts facts = {0};
  const uint32_t *end = (const uint32_t *)ram_end;
  facts.reason = reason_of(CFSR);
  facts.thread = ""; /* the name of the running thread, where a scheduler knows it */
  facts.lr = frame[5];
  facts.pc = frame[6];
  facts.stack = (const uintptr_t *)(frame + 8);
  facts.stack_end = (const uintptr_t *)(end - (frame + 8) > MOST_STACK_WORDS ? frame + 8 + MOST_STACK_WORDS : end);
  crash_keep(&facts);
  AIRCR = 0x05fa0004u; /* a reset of the system */
  for (;;) {
  }
}

__attribute__((naked)) void HardFault_Handler(void) {
  __asm volatile("tst lr, #4\n"
                 "ite eq\n"
                 "mrseq r0, msp\n"
                 "mrsne r0, psp\n"
                 "b %c0\n"
                 :
                 : "i"(take_fault));
}
