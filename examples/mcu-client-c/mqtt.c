#include "mqtt.h"

#include <string.h>

#include "port.h"

/* Packet types, with the flags they are sent with (section 2.2 of the specification). */
enum {
  CONNECT = 0x10,
  CONNACK = 0x20,
  PUBLISH = 0x30,
  PUBLISH_QOS1 = 0x32,
  PUBACK = 0x40,
  SUBSCRIBE = 0x82,
  PINGREQ = 0xc0
};
#define ANSWER_MS 10000

static uint8_t buffer[MQTT_BUFFER];
static uint16_t packet_id;

static size_t put_size(uint8_t *at, size_t size) {
  size_t bytes = 0;
  do {
    uint8_t digit = size % 128;
    size /= 128;
    at[bytes++] = size > 0 ? digit | 0x80 : digit;
  } while (size > 0);
  return bytes;
}

static size_t put_text(uint8_t *at, const char *text) {
  size_t size = strlen(text);
  at[0] = (uint8_t)(size >> 8);
  at[1] = (uint8_t)size;
  memcpy(at + 2, text, size);
  return size + 2;
}

/* The packet's body stands in the buffer behind room for its header. */
#define HEADER 5
static int send_packet(uint8_t type, size_t size) {
  uint8_t digits[4];
  size_t bytes = put_size(digits, size);
  uint8_t *begin = buffer + HEADER - bytes - 1;
  begin[0] = type;
  memcpy(begin + 1, digits, bytes);
  return port_send(begin, 1 + bytes + size);
}

static int receive_all(void *data, size_t size) {
  uint8_t *at = data;
  while (size > 0) {
    int got = port_receive(at, size, ANSWER_MS);
    if (got <= 0) return -1;
    at += got;
    size -= (size_t)got;
  }
  return 0;
}

/* The type of the next packet, with its body in the buffer; 0 when none came, -1 when the connection is over. */
static int receive_packet(size_t *size, int timeout_ms) {
  uint8_t type, digit;
  int shift = 0, got = port_receive(&type, 1, timeout_ms);
  if (got <= 0) return got;
  *size = 0;
  do {
    if (shift > 21 || receive_all(&digit, 1) != 0) return -1;
    *size |= (size_t)(digit & 0x7f) << shift;
    shift += 7;
  } while (digit & 0x80);
  /* Larger than there is room for: the connection ends, as what it was cannot be told. */
  if (*size > sizeof buffer || receive_all(buffer, *size) != 0) return -1;
  return type;
}

int mqtt_connect(const char *client_id, const char *user, const char *password, uint16_t keep_alive_seconds) {
  uint8_t *at = buffer + HEADER;
  size_t size = 0;
  if (strlen(client_id) + strlen(user) + strlen(password) + 32 > sizeof buffer) return -1;
  size += put_text(at, "MQTT");
  at[size++] = 4;    /* 3.1.1 */
  at[size++] = 0xc2; /* user name, password, clean session */
  at[size++] = (uint8_t)(keep_alive_seconds >> 8);
  at[size++] = (uint8_t)keep_alive_seconds;
  size += put_text(at + size, client_id);
  size += put_text(at + size, user);
  size += put_text(at + size, password);
  if (send_packet(CONNECT, size) != 0) return -1;
  if (receive_packet(&size, ANSWER_MS) != CONNACK || size != 2) return -1;
  return buffer[1];
}

static size_t put_packet_id(uint8_t *at) {
  if (++packet_id == 0) packet_id = 1;
  at[0] = (uint8_t)(packet_id >> 8);
  at[1] = (uint8_t)packet_id;
  return 2;
}

int mqtt_subscribe(const char *filter) {
  uint8_t *at = buffer + HEADER;
  size_t size = put_packet_id(at);
  size += put_text(at + size, filter);
  at[size++] = 1;
  return send_packet(SUBSCRIBE, size);
}

int mqtt_publish(const char *topic, const char *payload) {
  uint8_t *at = buffer + HEADER;
  size_t size, length = strlen(payload);
  if (HEADER + strlen(topic) + length + 4 > sizeof buffer) return -1;
  size = put_text(at, topic);
  size += put_packet_id(at + size);
  memcpy(at + size, payload, length);
  return send_packet(PUBLISH_QOS1, size + length);
}

int mqtt_ping(void) { return send_packet(PINGREQ, 0); }

static mqtt_event take_message(uint8_t type, size_t size, mqtt_message *message) {
  size_t topic_size, rest;
  int is_qos1 = (type & 0x06) == 0x02;
  if (size < 2) return MQTT_CLOSED;
  topic_size = (size_t)buffer[0] << 8 | buffer[1];
  rest = 2 + topic_size + (is_qos1 ? 2 : 0);
  if (rest > size) return MQTT_CLOSED;
  if (is_qos1) {
    uint8_t answer[4] = {PUBACK, 2, buffer[2 + topic_size], buffer[3 + topic_size]};
    if (port_send(answer, sizeof answer) != 0) return MQTT_CLOSED;
  }
  message->topic = (const char *)buffer + 2;
  message->topic_size = topic_size;
  message->payload = (const char *)buffer + rest;
  message->payload_size = size - rest;
  return MQTT_MESSAGE;
}

mqtt_event mqtt_poll(mqtt_message *message, int timeout_ms) {
  size_t size;
  int type = receive_packet(&size, timeout_ms);
  if (type < 0) return MQTT_CLOSED;
  if (type == 0) return MQTT_NOTHING;
  if ((type & 0xf0) == PUBLISH) return take_message((uint8_t)type, size, message);
  if (type == PUBACK && size == 2 && (buffer[0] << 8 | buffer[1]) == packet_id) return MQTT_STORED;
  return MQTT_ALIVE;
}
