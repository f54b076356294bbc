#include "json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Values nested deeper than this are refused, so that no input can use up the stack. */
#define DEEPEST 64

struct reader {
    const uint8_t *at;
    const uint8_t *end;
};

static void skip_space(struct reader *reader) {
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r')) {
        reader->at++;
    }
}

/* Takes `byte` after optional space, if it is next. */
static bool take(struct reader *reader, uint8_t byte) {
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != byte) return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) return false;
    reader->at += length;
    return true;
}

static bool read_hex(struct reader *reader, uint32_t *unit) {
    if (reader->end - reader->at < 4) return false;
    *unit = 0;
    for (int digit = 0; digit < 4; digit++) {
        uint8_t byte = *reader->at++;
        uint32_t value;
        if (byte >= '0' && byte <= '9') value = byte - '0';
        else if (byte >= 'a' && byte <= 'f') value = byte - 'a' + 10;
        else if (byte >= 'A' && byte <= 'F') value = byte - 'A' + 10;
        else return false;
        *unit = *unit << 4 | value;
    }
    return true;
}

/* The character of `\uXXXX`, or of two of them; half a pair is broken. */
static bool read_character(struct reader *reader, uint32_t *character) {
    if (!read_hex(reader, character)) return false;
    if (*character < 0xd800 || *character > 0xdfff) return true;
    uint32_t low;
    if (*character > 0xdbff || !take_word(reader, "\\u") || !read_hex(reader, &low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return false;
    *character = 0x10000 + ((*character - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static size_t put_utf8(uint32_t character, uint8_t *bytes) {
    if (character < 0x80) {
        bytes[0] = (uint8_t)character;
        return 1;
    }
    size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t index = length - 1; index > 0; index--) {
        bytes[index] = (uint8_t)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    bytes[0] = (uint8_t)(0xf00 >> length | character);
    return length;
}

static bool read_escape(struct reader *reader, uint8_t *bytes, size_t *length) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (reader->at == reader->end) return false;
    uint8_t name = *reader->at++;
    if (name == 'u') {
        uint32_t character;
        if (!read_character(reader, &character)) return false;
        *length = put_utf8(character, bytes);
        return true;
    }
    const char *found = name == 0 ? NULL : strchr(names, name);
    if (found == NULL) return false;
    bytes[0] = (uint8_t)values[found - names];
    *length = 1;
    return true;
}

/* Reads a string; decoded text is never longer than its JSON form. */
static bool read_text(struct reader *reader, struct json_text *text) {
    if (!take(reader, '"')) return false;
    text->length = 0;
    text->bytes = malloc((size_t)(reader->end - reader->at) + 1);
    if (text->bytes == NULL) return false;
    while (reader->at < reader->end && *reader->at >= 0x20) {
        uint8_t byte = *reader->at++;
        size_t length = 1;
        if (byte == '"') return true;
        if (byte != '\\') text->bytes[text->length] = byte;
        else if (!read_escape(reader, text->bytes + text->length, &length)) break;
        text->length += length;
    }
    free(text->bytes);
    return false;
}

static bool skip_text(struct reader *reader) {
    struct json_text text;
    if (!read_text(reader, &text)) return false;
    free(text.bytes);
    return true;
}

static bool skip_number(struct reader *reader) {
    const uint8_t *start = reader->at;
    while (reader->at < reader->end && *reader->at != 0 && strchr("+-.0123456789eE", *reader->at)) reader->at++;
    return reader->at > start;
}

static bool skip_value(struct reader *reader, int depth);

/* The rest of an array or object, after its opening bracket. */
static bool skip_members(struct reader *reader, uint8_t close, int depth) {
    if (take(reader, close)) return true;
    do {
        if (close == '}' && !(skip_text(reader) && take(reader, ':'))) return false;
        if (!skip_value(reader, depth + 1)) return false;
    } while (take(reader, ','));
    return take(reader, close);
}

static bool skip_value(struct reader *reader, int depth) {
    if (depth > DEEPEST) return false;
    if (take(reader, '{')) return skip_members(reader, '}', depth);
    if (take(reader, '[')) return skip_members(reader, ']', depth);
    if (reader->at < reader->end && *reader->at == '"') return skip_text(reader);
    return take_word(reader, "true") || take_word(reader, "false") || take_word(reader, "null") || skip_number(reader);
}

static bool is_name(const struct json_text *text, const char *name) {
    return text->length == strlen(name) && memcmp(text->bytes, name, text->length) == 0;
}

static enum json_result read_found(struct reader *reader, struct json_text *text) {
    skip_space(reader);
    if (reader->at < reader->end && *reader->at == '"') return read_text(reader, text) ? JSON_FOUND : JSON_BROKEN;
    return skip_value(reader, 1) ? JSON_NOT_TEXT : JSON_BROKEN;
}

enum json_result json_find_text(const uint8_t *json, size_t length, const char *name, struct json_text *text) {
    struct reader reader = {json, json + length};
    if (!take(&reader, '{')) return JSON_BROKEN;
    if (take(&reader, '}')) return JSON_MISSING;
    do {
        struct json_text key;
        if (!read_text(&reader, &key)) return JSON_BROKEN;
        bool wanted = is_name(&key, name);
        free(key.bytes);
        if (!take(&reader, ':')) return JSON_BROKEN;
        if (wanted) return read_found(&reader, text);
        if (!skip_value(&reader, 1)) return JSON_BROKEN;
    } while (take(&reader, ','));
    return take(&reader, '}') ? JSON_MISSING : JSON_BROKEN;
}
