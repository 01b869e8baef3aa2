/* As much MQTT 3.1.1 as a device needs: one connection, QoS 1, one message under way. Nothing here knows Plimsoll. */
#ifndef MQTT_H
#define MQTT_H

#include <stddef.h>
#include <stdint.h>

#define MQTT_BUFFER 2048

typedef enum {
  MQTT_NOTHING, /* nothing came in time */
  MQTT_ALIVE,   /* the broker answered, with nothing to act on */
  MQTT_MESSAGE, /* see topic and payload; it was acknowledged */
  MQTT_STORED,  /* the message under way was acknowledged */
  MQTT_CLOSED   /* the connection is over, or broke the rules */
} mqtt_event;

typedef struct {
  const char *topic, *payload;
  size_t topic_size, payload_size;
} mqtt_message;

/* 0 when the broker has let it in; its return code, or -1. */
int mqtt_connect(const char *client_id, const char *user, const char *password, uint16_t keep_alive_seconds);
int mqtt_subscribe(const char *filter);
int mqtt_publish(const char *topic, const char *payload);
int mqtt_ping(void);
/* What comes next. The message stays as it is until the next call of any of these. */
mqtt_event mqtt_poll(mqtt_message *message, int timeout_ms);

#endif
