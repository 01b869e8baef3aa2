/* The device: what it is called comes from the environment here, and from where you keep secrets in the field. */
#include <stdio.h>
#include <stdlib.h>

#include "crash.h"
#include "plimsoll.h"
#include "port.h"
#include "port_posix_crash.h"

static const char *required(const char *name) {
  const char *value = getenv(name);
  if (value != NULL && *value != 0) return value;
  fprintf(stderr, "%s is missing\n", name);
  exit(2);
}

/* A fault in code of ours, to see how one is told: PLIMSOLL_CRASH=1 crashes where no crash waits to be told. */
__attribute__((noinline)) static void read_sensor(volatile int *address) { *address = 1; }

__attribute__((noinline)) static void read_sensors(void) { read_sensor(NULL); }

int main(void) {
  const char *slug = getenv("PLIMSOLL_SLUG");
  plimsoll_identity identity = {required("PLIMSOLL_WORKSPACE"), required("PLIMSOLL_DEVICE"), required("PLIMSOLL_DEVICE_KEY"),
                                slug != NULL ? slug : "main"};
  uint32_t measure_at = 0;
  port_watch_faults(__builtin_frame_address(0));
  if (getenv("PLIMSOLL_CRASH") != NULL && crash_kept() == NULL) read_sensors();
  plimsoll_begin(&identity);
  plimsoll_log(LOG_INFO, "booted");
  for (;;) {
    plimsoll_step();
    if (port_seconds() >= measure_at) {
      plimsoll_measure("uptime.seconds", port_seconds());
      measure_at = port_seconds() + 60;
    }
  }
}
