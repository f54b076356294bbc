/* The little JSON this guest needs: one string out of an object. */

#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_result {
    JSON_FOUND,    /* the text is there */
    JSON_MISSING,  /* the object has no such name */
    JSON_NOT_TEXT, /* the name's value is something else */
    JSON_BROKEN,   /* not a JSON object, or no memory */
};

/* Decoded UTF-8; the reader frees `bytes`. */
struct json_text {
    uint8_t *bytes;
    size_t length;
};

/* Finds the string called `name` in the JSON object `json`; the first one wins. */
enum json_result json_find_text(const uint8_t *json, size_t length, const char *name, struct json_text *text);

#endif
