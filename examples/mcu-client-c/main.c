/* The device: what it is called comes from the environment here, and from where you keep secrets in the field. */
#include <stdio.h>
#include <stdlib.h>

#include "plimsoll.h"
#include "port.h"

static const char *required(const char *name) {
  const char *value = getenv(name);
  if (value != NULL && *value != 0) return value;
  fprintf(stderr, "%s is missing\n", name);
  exit(2);
}

int main(void) {
  const char *slug = getenv("PLIMSOLL_SLUG");
  plimsoll_identity identity = {required("PLIMSOLL_WORKSPACE"), required("PLIMSOLL_DEVICE"), required("PLIMSOLL_DEVICE_KEY"),
                                slug != NULL ? slug : "main"};
  uint32_t measure_at = 0;
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
