/* The port played on a POSIX system: TCP without TLS, files as slots, the process started anew as the reboot. */
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *setting(const char *name, const char *fallback) {
  const char *value = getenv(name);
  return value != NULL && *value != 0 ? value : fallback;
}

/* Connections */

static int broker = -1;

static int open_socket(const char *host, const char *port) {
  struct addrinfo hints = {0}, *found, *one;
  /* The service may let a download wait for most of a minute. */
  struct timeval patience = {60, 0};
  int opened = -1;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  for (one = found; one != NULL && opened < 0; one = one->ai_next) {
    opened = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
    if (opened < 0) continue;
    setsockopt(opened, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(opened, one->ai_addr, one->ai_addrlen) == 0) break;
    close(opened);
    opened = -1;
  }
  freeaddrinfo(found);
  return opened;
}

static int send_all(int to, const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
    if (sent <= 0) return -1;
    at += sent;
    size -= (size_t)sent;
  }
  return 0;
}

int port_connect(void) {
  broker = open_socket(setting("PLIMSOLL_MQTT_HOST", "localhost"), setting("PLIMSOLL_MQTT_PORT", "1883"));
  return broker < 0 ? -1 : 0;
}

void port_disconnect(void) {
  if (broker >= 0) close(broker);
  broker = -1;
}

int port_send(const void *data, size_t size) { return send_all(broker, data, size); }

int port_receive(void *data, size_t size, int timeout_ms) {
  struct pollfd waiting = {broker, POLLIN, 0};
  ssize_t got;
  if (poll(&waiting, 1, timeout_ms) == 0) return 0;
  got = recv(broker, data, size, 0);
  return got > 0 ? (int)got : -1;
}

/* http://host[:port]/path; https is for your TLS library. */
static int read_url(const char *url, char host[128], char port[8], const char **path) {
  snprintf(port, 8, "80");
  if (sscanf(url, "http://%127[^:/]:%7[0-9]", host, port) < 1) return -1;
  *path = strchr(url + 7, '/');
  return *path == NULL ? -1 : 0;
}

/* The status, with what came of the body in data; a real client would keep the connection for the next chunk. */
static int read_answer(int from, void *data, size_t size, int *body) {
  char head[4096], *end = NULL;
  size_t had = 0, rest;
  int status;
  while (end == NULL) {
    ssize_t got = had < sizeof head - 1 ? recv(from, head + had, sizeof head - 1 - had, 0) : 0;
    if (got <= 0) return -1;
    had += (size_t)got;
    head[had] = 0;
    end = strstr(head, "\r\n\r\n");
  }
  if (sscanf(head, "HTTP/1.1 %3d", &status) != 1) return -1;
  rest = had - (size_t)(end + 4 - head);
  if (rest > size) rest = size;
  memcpy(data, end + 4, rest);
  while (rest < size) {
    ssize_t got = recv(from, (char *)data + rest, size - rest, 0);
    if (got <= 0) break;
    rest += (size_t)got;
  }
  *body = (int)rest;
  return status;
}

int port_fetch(const char *url, uint32_t offset, void *data, size_t size) {
  char host[128], port[8], request[1200];
  const char *path;
  int server, status = -1, body = 0;
  if (read_url(url, host, port, &path) != 0) return PORT_FETCH_FAILED;
  server = open_socket(host, port);
  if (server < 0) return PORT_FETCH_FAILED;
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%s\r\nRange: bytes=%lu-%lu\r\nConnection: close\r\n\r\n", path,
           host, port, (unsigned long)offset, (unsigned long)(offset + size - 1));
  if (send_all(server, request, strlen(request)) == 0) status = read_answer(server, data, size, &body);
  close(server);
  if (status == 404) return PORT_FETCH_GONE;
  return status == 206 ? body : PORT_FETCH_FAILED;
}

int port_post(const char *url, const char *key, char *answer, size_t size) {
  char host[128], port[8], request[1200];
  const char *path;
  int server, status = -1, body = 0;
  if (read_url(url, host, port, &path) != 0) return PORT_FETCH_FAILED;
  server = open_socket(host, port);
  if (server < 0) return PORT_FETCH_FAILED;
  snprintf(request, sizeof request,
           "POST %s HTTP/1.1\r\nHost: %s:%s\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", path,
           host, port, key);
  if (send_all(server, request, strlen(request)) == 0) status = read_answer(server, answer, size - 1, &body);
  close(server);
  answer[body] = 0;
  if (status == 201) return body;
  return status >= 400 && status < 500 && status != 429 ? PORT_FETCH_GONE : PORT_FETCH_FAILED;
}

/* Time and chance */

static uint64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint32_t port_seconds(void) { return (uint32_t)(milliseconds() / 1000); }

void port_sleep_ms(int time) { poll(NULL, 0, time); }

void port_run_id(char *text, size_t size) {
  uint32_t chance[4] = {0};
  int from = open("/dev/urandom", O_RDONLY);
  if (from < 0 || read(from, chance, sizeof chance) != sizeof chance) exit(1);
  close(from);
  snprintf(text, size, "%08x%08x%08x%08x", chance[0], chance[1], chance[2], chance[3]);
}

/* Slots: files in PLIMSOLL_STATE. `active` holds the letter of the one that runs, `trial` one that is not confirmed. */

static char version[64], letter = 'a';

static void path_of(char *path, size_t size, const char *kind, char slot) {
  snprintf(path, size, "%s/%s%c", setting("PLIMSOLL_STATE", "device-state"), kind, slot);
}

static int read_small(const char *kind, char slot, char *text, size_t size) {
  char path[512];
  FILE *file;
  path_of(path, sizeof path, kind, slot);
  file = fopen(path, "r");
  if (file == NULL) return -1;
  if (fgets(text, (int)size, file) == NULL) *text = 0;
  fclose(file);
  return 0;
}

/* Whole or not at all, also when the power fails. */
static int write_small(const char *kind, char slot, const char *text) {
  char path[512], temporary[520];
  FILE *file;
  path_of(path, sizeof path, kind, slot);
  snprintf(temporary, sizeof temporary, "%s.new", path);
  file = fopen(temporary, "w");
  if (file == NULL) return -1;
  if (fputs(text, file) < 0 || fflush(file) != 0 || fsync(fileno(file)) != 0) return fclose(file), -1;
  return fclose(file) == 0 ? rename(temporary, path) : -1;
}

/* Of a device: in a part of the flash that only it can read. */
void port_key_read(port_key which, char *text, size_t size) {
  if (read_small("key", "gpn"[which], text, size) != 0) *text = 0;
}

int port_key_write(port_key which, const char *text) { return write_small("key", "gpn"[which], text); }

static char other(void) { return letter == 'a' ? 'b' : 'a'; }

/* What a bootloader does: an image on its second boot without being confirmed is left for the one before. */
static void boot(void) {
  char text[4];
  mkdir(setting("PLIMSOLL_STATE", "device-state"), 0700);
  if (read_small("active", '.', text, sizeof text) == 0 && *text == 'b') letter = 'b';
  if (read_small("trial", '.', text, sizeof text) == 0) {
    if (*text == '0') write_small("trial", '.', "1");
    if (*text == '1') {
      letter = other();
      write_small("active", '.', letter == 'a' ? "a" : "b");
      port_confirm();
    }
  }
  if (read_small("version", letter, version, sizeof version) != 0)
    snprintf(version, sizeof version, "%s", setting("PLIMSOLL_VERSION", "1.0.0"));
}

const char *port_running_version(void) {
  if (*version == 0) boot();
  return version;
}

/* The slot was only activated after its image was compared with this. */
const char *port_running_image(void) {
  static char hash[65];
  if (read_small("begun", letter, hash, sizeof hash) != 0) *hash = 0;
  return hash;
}

uint32_t port_slot_begin(const char *sha256, uint32_t size) {
  char path[512], known[65];
  struct stat had;
  path_of(path, sizeof path, "image", other());
  if (read_small("begun", other(), known, sizeof known) == 0 && strcmp(known, sha256) == 0 && stat(path, &had) == 0 &&
      had.st_size <= (off_t)size)
    return (uint32_t)had.st_size;
  remove(path);
  write_small("begun", other(), sha256);
  return 0;
}

int port_slot_write(uint32_t offset, const void *data, size_t size) {
  char path[512];
  ssize_t written;
  int file;
  path_of(path, sizeof path, "image", other());
  file = open(path, O_WRONLY | O_CREAT, 0600);
  if (file < 0) return -1;
  written = pwrite(file, data, size, (off_t)offset);
  return close(file) == 0 && written == (ssize_t)size ? 0 : -1;
}

int port_slot_read(uint32_t offset, void *data, size_t size) {
  char path[512];
  ssize_t got;
  int file;
  path_of(path, sizeof path, "image", other());
  file = open(path, O_RDONLY);
  if (file < 0) return -1;
  got = pread(file, data, size, (off_t)offset);
  close(file);
  return got == (ssize_t)size ? 0 : -1;
}

void port_slot_discard(void) {
  char path[512];
  path_of(path, sizeof path, "image", other());
  remove(path);
}

int port_slot_activate(const char *next) {
  if (write_small("version", other(), next) != 0 || write_small("trial", '.', "0") != 0) return -1;
  return write_small("active", '.', other() == 'a' ? "a" : "b");
}

void port_confirm(void) {
  char path[512], text[4];
  /* Booted once: of an image that was installed but not booted yet, nothing is known. */
  if (read_small("trial", '.', text, sizeof text) != 0 || *text != '1') return;
  path_of(path, sizeof path, "trial", '.');
  remove(path);
}

void port_reboot(void) {
  char self[] = "/proc/self/exe", *arguments[] = {self, NULL};
  port_disconnect();
  execv(self, arguments);
  exit(1);
}

void port_log(const char *text) {
  printf("%s\n", text);
  fflush(stdout);
}
