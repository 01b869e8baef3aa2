/* As much JSON as the messages to a device need: reading members in place, without memory of its own. */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>

/* A value within a text; begin is NULL when there is none. */
typedef struct {
  const char *begin, *end;
} json_value;

/* The value as a whole, or none when the text is no JSON this understands. */
json_value json_read(const char *text, size_t size);
json_value json_member(json_value object, const char *name);
json_value json_element(json_value array, unsigned index);
/* 0 when the value is a text that fits, with its zero. */
int json_text(json_value value, char *text, size_t size);
/* 0 when the value is a whole number from 0 to 4,294,967,295. */
int json_number(json_value value, unsigned long *number);
int json_is_true(json_value value);

/* Writes the text as it stands within quotes, cut off where there is no more room. */
void json_escape(const char *text, char *escaped, size_t size);

#endif
