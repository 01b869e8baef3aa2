/* What the client needs of your hardware. port_posix.c plays it with sockets and files; write your own from it. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* The one connection to the broker: TCP, in the field TLS. 0 when it is open. */
int port_connect(void);
void port_disconnect(void);
/* 0 when all of it was sent. */
int port_send(const void *data, size_t size);
/* The bytes that came, at most size; 0 when none came in time; -1 when the connection is over. */
int port_receive(void *data, size_t size, int timeout_ms);

/* Seconds since boot; they never go back. */
uint32_t port_seconds(void);
void port_sleep_ms(int milliseconds);
/* Never the same twice on this device: a boot counter and a random number do. */
void port_run_id(char *text, size_t size);

/* What the running image says of itself. */
const char *port_running_version(void);
/* SHA-256 of the running image as it was downloaded, in hexadecimal; "" where it is not known. Your bootloader may know it, too. */
const char *port_running_image(void);

enum { PORT_FETCH_FAILED = -1, PORT_FETCH_GONE = -2 };
/* GET url with "Range: bytes=offset-(offset + size - 1)": the bytes that came (206), else one of the above. GONE is a 404. */
int port_fetch(const char *url, uint32_t offset, void *data, size_t size);

/* POST to url, with "Authorization: Bearer key" and no body: the size of the answer (201), as a text, else one of the above. GONE is
   a 4xx: the service has understood and said no. */
int port_post(const char *url, const char *key, char *answer, size_t size);

/* The keys of the device, each whole or not at all, also when the power fails. A key that was never written is empty. */
typedef enum { PORT_KEY_GIVEN, PORT_KEY_PRESENT, PORT_KEY_NEXT } port_key;
void port_key_read(port_key which, char *text, size_t size);
int port_key_write(port_key which, const char *text);

/* The slot that does not run. Where the bytes of this very image were left by an earlier attempt, how many; else 0. */
uint32_t port_slot_begin(const char *sha256, uint32_t size);
int port_slot_write(uint32_t offset, const void *data, size_t size);
int port_slot_read(uint32_t offset, void *data, size_t size);
/* What was written is no good. */
void port_slot_discard(void);
/* Boot it next, on trial: without port_confirm in that run, the boot after it is of the slot that runs now. 0 when done. */
int port_slot_activate(const char *version);
void port_confirm(void);
void port_reboot(void);

void port_log(const char *text);

/* Crashes. fault_cortex_m.c has these for ARM Cortex-M. */

/* Memory that is not cleared at a reset: `.noinit`, or backup RAM. Always the same. */
void *port_crash_memory(size_t size);
/* The GNU build id of the image in hexadecimal; "" when the linker wrote none. */
const char *port_build_id(void);
/* As the ELF file has it: less the address at which the program was loaded, where that is not fixed. */
uintptr_t port_code_address(uintptr_t address);
/* Whether it lies in the code, behind an instruction that calls. */
int port_is_return(uintptr_t address);

#endif
