#include "json.h"

#include <stdio.h>
#include <string.h>

static const json_value NONE = {NULL, NULL};

static const char *after_space(const char *at, const char *end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  return at;
}

/* Behind the closing quote; NULL when there is none. */
static const char *after_text(const char *at, const char *end) {
  for (at++; at < end; at++) {
    if (*at == '\\') at++;
    else if (*at == '"') return at + 1;
  }
  return NULL;
}

/* Behind the value that begins here, however deep it is; NULL when it is cut off. */
static const char *after_value(const char *at, const char *end) {
  int depth = 0;
  at = after_space(at, end);
  if (at == end) return NULL;
  if (*at != '{' && *at != '[' && *at != '"') {
    const char *begin = at;
    while (at < end && strchr(",]} \t\r\n", *at) == NULL) at++;
    return at > begin ? at : NULL;
  }
  while (at < end) {
    if (*at == '"') {
      at = after_text(at, end);
      if (at == NULL || depth == 0) return at;
      continue;
    }
    if (*at == '{' || *at == '[') depth++;
    if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
    at++;
  }
  return NULL;
}

static json_value value_at(const char *at, const char *end) {
  json_value value;
  value.begin = after_space(at, end);
  value.end = after_value(at, end);
  return value.end == NULL ? NONE : value;
}

json_value json_read(const char *text, size_t size) { return value_at(text, text + size); }

/* To the next member or element, behind the comma; NULL when there is none. */
static const char *next_item(const char *at, const char *end) {
  at = after_space(at, end);
  return at < end && *at == ',' ? at + 1 : NULL;
}

json_value json_member(json_value object, const char *name) {
  const char *at = object.begin;
  size_t length = strlen(name);
  if (at == NULL || *at != '{') return NONE;
  for (at++; at != NULL;) {
    json_value key = value_at(at, object.end), value;
    if (key.begin == NULL || *key.begin != '"') return NONE;
    at = after_space(key.end, object.end);
    if (at == object.end || *at != ':') return NONE;
    value = value_at(at + 1, object.end);
    if (value.begin == NULL) return NONE;
    if ((size_t)(key.end - key.begin) == length + 2 && memcmp(key.begin + 1, name, length) == 0) return value;
    at = next_item(value.end, object.end);
  }
  return NONE;
}

json_value json_element(json_value array, unsigned index) {
  const char *at = array.begin;
  if (at == NULL || *at != '[') return NONE;
  for (at++; at != NULL; index--) {
    json_value value = value_at(at, array.end);
    if (value.begin == NULL || *value.begin == ']') return NONE;
    if (index == 0) return value;
    at = next_item(value.end, array.end);
  }
  return NONE;
}

static const char ESCAPED[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";

int json_text(json_value value, char *text, size_t size) {
  size_t length = 0;
  if (value.begin == NULL || *value.begin != '"') return -1;
  for (const char *at = value.begin + 1; at < value.end - 1; at++) {
    char byte = *at;
    if (byte == '\\') {
      const char *known = strchr(ESCAPED, *++at);
      /* \u: nothing the service sends needs it, as it sends UTF-8. */
      if (known == NULL || *at == 0) return -1;
      byte = MEANT[known - ESCAPED];
    }
    if (length + 1 >= size) return -1;
    text[length++] = byte;
  }
  text[length] = 0;
  return 0;
}

int json_number(json_value value, unsigned long *number) {
  unsigned long long sum = 0;
  if (value.begin == NULL) return -1;
  for (const char *at = value.begin; at < value.end; at++) {
    if (*at < '0' || *at > '9') return -1;
    sum = sum * 10 + (unsigned)(*at - '0');
    if (sum > 0xffffffffULL) return -1;
  }
  *number = (unsigned long)sum;
  return 0;
}

int json_is_true(json_value value) {
  return value.begin != NULL && value.end - value.begin == 4 && memcmp(value.begin, "true", 4) == 0;
}

void json_escape(const char *text, char *escaped, size_t size) {
  size_t length = 0;
  for (; *text != 0; text++) {
    char piece[7];
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') snprintf(piece, sizeof piece, "\\%c", byte);
    else if (byte < 0x20) snprintf(piece, sizeof piece, "\\u%04x", byte);
    else snprintf(piece, sizeof piece, "%c", byte);
    if (length + strlen(piece) >= size) break;
    memcpy(escaped + length, piece, strlen(piece));
    length += strlen(piece);
  }
  escaped[length] = 0;
}
