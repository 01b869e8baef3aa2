/* A device of Plimsoll over MQTT (docs/guide/device-protocol.md). Call plimsoll_step for ever; it never waits for long. */
#ifndef PLIMSOLL_H
#define PLIMSOLL_H

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_CRITICAL } plimsoll_severity;

typedef struct {
  const char *workspace_id, *device_id, *device_key;
  /* The firmware this image is one of, as Plimsoll calls it. */
  const char *slug;
} plimsoll_identity;

void plimsoll_begin(const plimsoll_identity *identity);
void plimsoll_step(void);

/* Sent at the next opportunity; the newest of each takes the place of one that was not sent yet. */
void plimsoll_measure(const char *name, double value);
void plimsoll_log(plimsoll_severity severity, const char *text);

#endif
