#include "plimsoll.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "crash.h"
#include "json.h"
#include "mqtt.h"
#include "port.h"
#include "sha256.h"

#define KEEP_ALIVE_SECONDS 300
#define ANSWER_SECONDS 20
#define CHUNK 1024
#define MOST_FAILURES 20

/* What there is to say, in the order it is said. Each stays due until it is acknowledged, also through lost connections:
   the service takes again what it has already, and counts it once. */
typedef enum { SAY_SESSION, SAY_CONFIG, SAY_UPDATE, SAY_CRASH, SAY_METRIC, SAY_LOG, KINDS } say_kind;
static const char *const TOPIC_OF[KINDS] = {"session", "config", "update", "crashes", "metrics", "logs"};
static const char *const SEVERITIES[] = {"Debug", "Info", "Warning", "Error", "Critical"};

typedef enum { NO_UPDATE, DOWNLOADING, INSTALLED, GIVEN_UP } update_phase;

static struct {
  plimsoll_identity identity;
  char topics[200], user[200], run_id[64];
  bool is_connected;
  uint32_t connect_at, heard_at, said_at;
  unsigned failures;

  bool due[KINDS];
  int under_way; /* the kind that waits for its acknowledgement; -1: none */
  bool is_changed; /* while it was under way: to be said again */

  plimsoll_severity log_severity;
  unsigned long config_version;

  /* next: fetched, and not accepted yet; key_url: where to fetch it, empty when nobody asked. */
  char present_key[64], next_key[64], key_url[300];
  uint32_t key_at;

  char metric[160], line[300];
  unsigned long metric_sequence, line_sequence;
} device;

static struct {
  update_phase phase;
  char id[40], version[64], url[600], sha256[65], reason[80];
  uint32_t size, offset, percent, retry_at;
  unsigned failures;
  const char *state;
} update;

static void say(say_kind kind) {
  device.due[kind] = true;
  if (device.under_way == (int)kind) device.is_changed = true;
}

/* The key that somebody gave it takes the place of those that it fetched since the one before was given. */
static void read_keys(void) {
  char given[sizeof device.present_key];
  port_key_read(PORT_KEY_GIVEN, given, sizeof given);
  if (strcmp(given, device.identity.device_key) != 0) {
    port_key_write(PORT_KEY_NEXT, "");
    port_key_write(PORT_KEY_PRESENT, device.identity.device_key);
    port_key_write(PORT_KEY_GIVEN, device.identity.device_key);
  }
  port_key_read(PORT_KEY_PRESENT, device.present_key, sizeof device.present_key);
  port_key_read(PORT_KEY_NEXT, device.next_key, sizeof device.next_key);
}

void plimsoll_begin(const plimsoll_identity *identity) {
  memset(&device, 0, sizeof device);
  memset(&update, 0, sizeof update);
  device.identity = *identity;
  device.under_way = -1;
  device.log_severity = LOG_INFO;
  snprintf(device.user, sizeof device.user, "%s:%s", identity->workspace_id, identity->device_id);
  snprintf(device.topics, sizeof device.topics, "plimsoll/v1/%s/%s", identity->workspace_id, identity->device_id);
  port_run_id(device.run_id, sizeof device.run_id);
  port_running_version(); /* boots: its storage is there from now on */
  read_keys();
  say(SAY_SESSION);
  if (crash_kept() != NULL) say(SAY_CRASH);
}

void plimsoll_measure(const char *name, double value) {
  snprintf(device.metric, sizeof device.metric, "[{\"name\":\"%s\",\"value\":%.9g,\"sequence\":%lu,\"runId\":\"%s\"}]", name,
           value, ++device.metric_sequence, device.run_id);
  say(SAY_METRIC);
}

void plimsoll_log(plimsoll_severity severity, const char *text) {
  char escaped[160];
  port_log(text);
  if (severity < device.log_severity) return;
  json_escape(text, escaped, sizeof escaped);
  snprintf(device.line, sizeof device.line,
           "[{\"severity\":\"%s\",\"message\":\"%s\",\"sequence\":%lu,\"runId\":\"%s\"}]", SEVERITIES[severity], escaped,
           ++device.line_sequence, device.run_id);
  say(SAY_LOG);
}

/* What the device says */

static void write_message(say_kind kind, char *text, size_t size) {
  char escaped[160];
  switch (kind) {
  case SAY_SESSION:
    snprintf(text, size,
             "{\"runId\":\"%s\",\"firmware\":[{\"slug\":\"%s\",\"version\":\"%s\"}],"
             "\"attributes\":{\"imageHash\":\"%s\",\"reportsCrashes\":%s}}",
             device.run_id, device.identity.slug, port_running_version(), port_running_image(),
             crash_can_keep() ? "true" : "false");
    break;
  case SAY_CONFIG:
    snprintf(text, size, "{\"logSeverity\":\"%s\",\"acknowledgedDesiredConfigurationVersion\":%lu}",
             SEVERITIES[device.log_severity], device.config_version);
    break;
  case SAY_UPDATE:
    json_escape(update.reason, escaped, sizeof escaped);
    snprintf(text, size, "{\"updateId\":\"%s\",\"state\":\"%s\",\"progress\":%u,\"reason\":%s%s%s}", update.id,
             update.state, (unsigned)update.percent, *escaped ? "\"" : "", *escaped ? escaped : "null", *escaped ? "\"" : "");
    break;
  case SAY_CRASH:
    /* Gone only where it was damaged since; nothing is lost by an empty list. */
    if (crash_kept() == NULL || crash_write(crash_kept(), device.identity.slug, device.run_id, text, size) != 0)
      snprintf(text, size, "[]");
    break;
  case SAY_METRIC: snprintf(text, size, "%s", device.metric); break;
  case SAY_LOG: snprintf(text, size, "%s", device.line); break;
  case KINDS: break;
  }
}

/* One at a time, so that the order of what is stored is the order in which it happened. */
static int say_next(void) {
  static char topic[220], text[1400];
  if (device.under_way >= 0) return 0;
  for (int kind = 0; kind < KINDS; kind++) {
    if (!device.due[kind]) continue;
    write_message((say_kind)kind, text, sizeof text);
    snprintf(topic, sizeof topic, "%s/up/%s", device.topics, TOPIC_OF[kind]);
    device.under_way = kind;
    device.is_changed = false;
    device.said_at = port_seconds();
    return mqtt_publish(topic, text);
  }
  return 0;
}

static void stored(void) {
  int kind = device.under_way;
  if (kind < 0) return;
  device.under_way = -1;
  if (device.is_changed) return;
  device.due[kind] = false;
  /* An image that reaches the service is healthy enough to stay; ask more of it before you confirm, if you can. */
  if (kind == SAY_SESSION) port_confirm();
  if (kind == SAY_CRASH) crash_forget();
  if (kind == SAY_UPDATE && update.phase == INSTALLED) port_reboot();
}

/* What the device hears */

static void take_config(json_value config) {
  char name[16];
  unsigned long version;
  if (json_number(json_member(config, "version"), &version) != 0) return;
  if (json_text(json_member(config, "logSeverity"), name, sizeof name) != 0) return;
  for (int severity = LOG_DEBUG; severity <= LOG_CRITICAL; severity++) {
    if (strcmp(name, SEVERITIES[severity]) == 0) device.log_severity = (plimsoll_severity)severity;
  }
  if (version == device.config_version) return;
  device.config_version = version;
  say(SAY_CONFIG);
}

static void say_update(const char *state, const char *reason) {
  update.state = state;
  snprintf(update.reason, sizeof update.reason, "%s", reason);
  say(SAY_UPDATE);
}

static void give_up(const char *reason) {
  update.phase = GIVEN_UP;
  port_slot_discard();
  say_update("failed", reason);
  plimsoll_log(LOG_ERROR, reason);
}

static void take_update(json_value wanted) {
  char id[sizeof update.id], slug[64];
  unsigned long size;
  json_value list = json_member(wanted, "artifacts"), artifact = json_element(list, 0);
  if (json_text(json_member(wanted, "updateId"), id, sizeof id) != 0) return;
  if (json_is_true(json_member(wanted, "cancel"))) {
    bool is_new = strcmp(id, update.id) != 0;
    if (update.phase == INSTALLED && !is_new) return; /* past the point of no return: the next session tells */
    if (update.phase == GIVEN_UP && !is_new) return;
    memcpy(update.id, id, sizeof id);
    give_up("cancelled");
    return;
  }
  if (strcmp(id, update.id) == 0) return; /* told again of what is under way, or over */
  memset(&update, 0, sizeof update);
  memcpy(update.id, id, sizeof id);
  if (json_element(list, 1).begin != NULL) return give_up("this device takes one image at a time");
  if (json_text(json_member(artifact, "slug"), slug, sizeof slug) != 0 || strcmp(slug, device.identity.slug) != 0)
    return give_up("this image is for something else");
  if (json_text(json_member(artifact, "version"), update.version, sizeof update.version) != 0 ||
      json_text(json_member(artifact, "url"), update.url, sizeof update.url) != 0 ||
      json_text(json_member(artifact, "sha256"), update.sha256, sizeof update.sha256) != 0 ||
      json_number(json_member(artifact, "size"), &size) != 0)
    return give_up("the update cannot be read");
  if (strcmp(update.version, port_running_version()) == 0) {
    /* It runs already, and the session that says so is all that counts. */
    update.phase = GIVEN_UP;
    return say(SAY_SESSION);
  }
  update.size = (uint32_t)size;
  update.offset = port_slot_begin(update.sha256, update.size);
  update.phase = DOWNLOADING;
  say_update("inProgress", "");
}

/* It has to keep a next key that it has already: the present one may have ended. */
static void take_key(json_value wanted) {
  if (*device.next_key != 0) return;
  if (json_text(json_member(wanted, "url"), device.key_url, sizeof device.key_url) != 0) *device.key_url = 0;
  device.key_at = port_seconds();
}

static void take_message(const mqtt_message *message) {
  json_value body = json_read(message->payload, message->payload_size);
  const char *last = message->topic + message->topic_size;
  bool is_key = message->topic_size > 4 && memcmp(last - 4, "/key", 4) == 0;
  /* Empty: nothing is desired any more. */
  if (is_key && body.begin == NULL) *device.key_url = 0;
  if (body.begin == NULL) return;
  if (is_key) take_key(body);
  if (message->topic_size > 7 && memcmp(last - 7, "/config", 7) == 0) take_config(body);
  if (message->topic_size > 7 && memcmp(last - 7, "/update", 7) == 0) take_update(body);
}

/* The update: a chunk at a time, so that the connection stays alive beside it */

static void install(void) {
  static uint8_t chunk[CHUNK];
  sha256_context context;
  char found[65];
  sha256_begin(&context);
  for (uint32_t at = 0; at < update.size; at += CHUNK) {
    uint32_t size = update.size - at < CHUNK ? update.size - at : CHUNK;
    if (port_slot_read(at, chunk, size) != 0) return give_up("the slot cannot be read");
    sha256_add(&context, chunk, size);
  }
  sha256_end(&context, found);
  if (strcmp(found, update.sha256) != 0) return give_up("sha256 differs");
  if (port_slot_activate(update.version) != 0) return give_up("the slot cannot be booted");
  update.phase = INSTALLED;
  update.percent = 100;
  say_update("succeeded", "");
}

static void download(void) {
  static uint8_t chunk[CHUNK];
  uint32_t left = update.size - update.offset, percent;
  int got;
  if (left == 0) return install();
  if (port_seconds() < update.retry_at) return;
  got = port_fetch(update.url, update.offset, chunk, left < CHUNK ? left : CHUNK);
  if (got == PORT_FETCH_GONE) return give_up("the link is no longer good");
  if (got <= 0) {
    if (++update.failures == MOST_FAILURES) return give_up("the image cannot be fetched");
    update.retry_at = port_seconds() + 1 + update.failures;
    return;
  }
  update.failures = 0;
  if (port_slot_write(update.offset, chunk, (size_t)got) != 0) return give_up("the slot cannot be written");
  update.offset += (uint32_t)got;
  percent = (uint32_t)((uint64_t)update.offset * 99 / update.size);
  /* Every ten percent is often enough, for thousands of devices at once. */
  if (percent / 10 != update.percent / 10) {
    update.percent = percent;
    say_update("inProgress", "");
  }
}

/* The connection */

static void disconnect(void) {
  port_disconnect();
  device.is_connected = false;
  device.under_way = -1;
  /* 2, 4, 8 … 256 seconds and a bit: after an outage the devices do not come back all at once. */
  device.failures += device.failures < 8;
  device.connect_at = port_seconds() + (1u << device.failures) + (uint32_t)device.run_id[0] % 4;
}

/* Stored before it is used, and used by connecting again. */
static void fetch_key(void) {
  static char answer[200];
  int got;
  if (port_seconds() < device.key_at) return;
  device.key_at = port_seconds() + 60;
  got = port_post(device.key_url, device.present_key, answer, sizeof answer);
  if (got == PORT_FETCH_GONE) *device.key_url = 0;
  if (got <= 0) return;
  if (json_text(json_member(json_read(answer, (size_t)got), "deviceKey"), device.next_key, sizeof device.next_key) != 0 ||
      port_key_write(PORT_KEY_NEXT, device.next_key) != 0) {
    *device.next_key = 0;
    return;
  }
  *device.key_url = 0;
  disconnect();
  device.failures = 0;
  device.connect_at = port_seconds();
}

/* The broker has answered. The first use of the next key has ended the present one; a refused one is of no use. */
static void settle_next_key(bool is_accepted) {
  if (*device.next_key == 0) return;
  if (is_accepted && port_key_write(PORT_KEY_PRESENT, device.next_key) != 0) return;
  if (is_accepted) memcpy(device.present_key, device.next_key, sizeof device.present_key);
  if (port_key_write(PORT_KEY_NEXT, "") == 0) *device.next_key = 0;
}

static void connect_again(void) {
  char filter[220];
  const char *key = *device.next_key != 0 ? device.next_key : device.present_key;
  int answer;
  const plimsoll_identity *identity = &device.identity;
  if (port_seconds() < device.connect_at) return port_sleep_ms(100);
  snprintf(filter, sizeof filter, "%s/down/#", device.topics);
  if (port_connect() != 0) return disconnect();
  answer = mqtt_connect(identity->device_id, device.user, key, KEEP_ALIVE_SECONDS);
  /* 4 and 5: this key is refused. */
  if (answer == 0 || answer == 4 || answer == 5) settle_next_key(answer == 0);
  if (answer != 0 || mqtt_subscribe(filter) != 0) return disconnect();
  device.is_connected = true;
  device.failures = 0;
  device.heard_at = device.said_at = port_seconds();
}

static bool is_silent(void) {
  uint32_t now = port_seconds();
  if (device.under_way >= 0) return now - device.said_at > ANSWER_SECONDS;
  return now - device.heard_at > KEEP_ALIVE_SECONDS + ANSWER_SECONDS;
}

void plimsoll_step(void) {
  mqtt_message message;
  mqtt_event event;
  if (update.phase == DOWNLOADING) download();
  if (*device.key_url != 0) fetch_key();
  if (!device.is_connected) return connect_again();
  if (say_next() != 0) return disconnect();
  if (port_seconds() - device.said_at > KEEP_ALIVE_SECONDS / 2) {
    device.said_at = port_seconds();
    if (mqtt_ping() != 0) return disconnect();
  }
  event = mqtt_poll(&message, update.phase == DOWNLOADING ? 0 : 100);
  if (event == MQTT_CLOSED || is_silent()) return disconnect();
  if (event == MQTT_MESSAGE) take_message(&message);
  if (event == MQTT_STORED) stored();
  if (event != MQTT_NOTHING) device.heard_at = port_seconds();
}
