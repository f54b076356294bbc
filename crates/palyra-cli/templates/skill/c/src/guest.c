/* The tools of {{skill_id}}.
 *
 *   {{tool}}  {"name": "Ada"}  ->  {"greeting":"Hello, Ada!"}
 */

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "tool_plugin.h"

#define TOOL "{{tool}}"

typedef exports_palyra_plugin_tools_tool_error_t tool_error;

/* Returns false, so that a caller can fail and explain in one line. */
static bool fail(tool_error *error, const char *code, const char *message) {
    tool_plugin_string_dup(&error->code, code);
    tool_plugin_string_dup(&error->message, message);
    error->details_json.is_some = false;
    return false;
}

static void append(tool_plugin_string_t *output, const void *bytes, size_t length) {
    memcpy(output->ptr + output->len, bytes, length);
    output->len += length;
}

/* Appends text as it is written between the quotes of a JSON string. */
static void append_escaped(tool_plugin_string_t *output, const struct json_text *text) {
    static const char digits[] = "0123456789abcdef";
    for (size_t index = 0; index < text->length; index++) {
        uint8_t byte = text->bytes[index];
        if (byte == '"' || byte == '\\') {
            append(output, "\\", 1);
            append(output, &byte, 1);
        } else if (byte < 0x20) {
            append(output, "\\u00", 4);
            append(output, &digits[byte >> 4], 1);
            append(output, &digits[byte & 15], 1);
        } else {
            append(output, &byte, 1);
        }
    }
}

static bool greet(tool_plugin_string_t *input, tool_plugin_string_t *output, tool_error *error) {
    static const char start[] = "{\"greeting\":\"Hello, ";
    static const char end[] = "!\"}";
    struct json_text name;
    /* The input was checked against the schema in skill.toml, so the name is there. */
    if (json_find_text(input->ptr, input->len, "name", &name) != JSON_FOUND) {
        return fail(error, "invalid_name", "the input has no name");
    }
    output->len = 0;
    /* A byte takes at most six as an escape. */
    output->ptr = malloc(sizeof start + 6 * name.length + sizeof end);
    if (output->ptr == NULL) {
        free(name.bytes);
        return fail(error, "out_of_memory", "no memory for the greeting");
    }
    append(output, start, strlen(start));
    append_escaped(output, &name);
    append(output, end, strlen(end));
    free(name.bytes);
    return true;
}

bool exports_palyra_plugin_tools_invoke(tool_plugin_string_t *tool_id, tool_plugin_string_t *input_json,
                                        tool_plugin_string_t *ret, tool_error *err) {
    bool known = tool_id->len == strlen(TOOL) && memcmp(tool_id->ptr, TOOL, tool_id->len) == 0;
    bool done = known ? greet(input_json, ret, err) : fail(err, "unknown_tool", "there is no such tool");
    tool_plugin_string_free(tool_id);
    tool_plugin_string_free(input_json);
    return done;
}
