/* Counts words and bytes, and keeps a running total that survives restarts.
 *
 *   palyra.wordcount_c.count  {"text": "one two"}  ->  {"words":2,"bytes":7,"total_words":2}
 */

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "number.h"
#include "tool_plugin.h"

#define TOOL "palyra.wordcount_c.count"
#define PREFIX "totals/"
#define KEY "words"

typedef exports_palyra_plugin_tools_tool_error_t tool_error;
typedef palyra_plugin_storage_host_error_t host_error;

static size_t count_words(const uint8_t *text, size_t length) {
    size_t words = 0;
    bool inside = false;
    for (size_t index = 0; index < length; index++) {
        bool space = text[index] == ' ' || (text[index] >= '\t' && text[index] <= '\r');
        words += !space && !inside;
        inside = !space;
    }
    return words;
}

/* Returns false, so that a caller can fail and explain in one line. */
static bool fail(tool_error *error, const char *code, const char *message) {
    tool_plugin_string_dup(&error->code, code);
    tool_plugin_string_dup(&error->message, message);
    error->details_json.is_some = false;
    return false;
}

static bool fail_on_host(tool_error *error, host_error *host) {
    switch (host->tag) {
    case PALYRA_PLUGIN_TYPES_HOST_ERROR_DENIED:
        fail(error, "storage_denied", "the storage prefix " PREFIX " is not granted");
        break;
    case PALYRA_PLUGIN_TYPES_HOST_ERROR_QUOTA_EXCEEDED:
        fail(error, "storage_quota_exceeded", "the storage quota is used up");
        break;
    default:
        fail(error, "storage_failed", "the running total could not be kept");
    }
    palyra_plugin_storage_host_error_free(host);
    return false;
}

/* Adds `words` to the total in storage and stores it again. */
static bool add_to_total(size_t words, uint64_t *total, tool_error *error) {
    tool_plugin_string_t prefix, key;
    tool_plugin_string_set(&prefix, PREFIX);
    tool_plugin_string_set(&key, KEY);
    /* Without the grant this is -1; the first use of it then ends the run as `capability_denied`. */
    int32_t handle = palyra_plugin_host_capabilities_find(PALYRA_PLUGIN_TYPES_CAPABILITY_KIND_STORAGE, &prefix);

    host_error host;
    tool_plugin_option_list_u8_t stored;
    if (!palyra_plugin_storage_get(handle, &key, &stored, &host)) return fail_on_host(error, &host);
    *total = stored.is_some ? number_read(stored.val.ptr, stored.val.len) : 0;
    tool_plugin_option_list_u8_free(&stored);
    *total = *total > UINT64_MAX - words ? UINT64_MAX : *total + words;

    char text[NUMBER_DIGITS];
    tool_plugin_list_u8_t value = {(uint8_t *)text, number_write(*total, text)};
    if (!palyra_plugin_storage_put(handle, &key, &value, &host)) return fail_on_host(error, &host);
    return true;
}

/* Appends to a buffer that is known to be large enough. */
static void append(tool_plugin_string_t *output, const char *text, uint64_t number) {
    size_t length = strlen(text);
    memcpy(output->ptr + output->len, text, length);
    output->len += length;
    output->len += number_write(number, (char *)output->ptr + output->len);
}

static bool write_output(size_t words, size_t bytes, uint64_t total, tool_plugin_string_t *output, tool_error *error) {
    static const char names[] = "{\"words\":,\"bytes\":,\"total_words\":}";
    output->len = 0;
    output->ptr = malloc(sizeof names + 3 * NUMBER_DIGITS);
    if (output->ptr == NULL) return fail(error, "out_of_memory", "no memory for the result");
    append(output, "{\"words\":", words);
    append(output, ",\"bytes\":", bytes);
    append(output, ",\"total_words\":", total);
    output->ptr[output->len++] = '}';
    return true;
}

static void log_line(const char *line) {
    tool_plugin_string_t message;
    tool_plugin_string_set(&message, line);
    palyra_plugin_log_write(PALYRA_PLUGIN_LOG_LEVEL_INFO, &message);
}

static bool count(tool_plugin_string_t *input, tool_plugin_string_t *output, tool_error *error) {
    struct json_text text;
    switch (json_find_text(input->ptr, input->len, "text", &text)) {
    case JSON_FOUND:
        break;
    case JSON_MISSING:
        return fail(error, "missing_text", "the input has no text");
    case JSON_NOT_TEXT:
        return fail(error, "invalid_text", "text is not a string");
    default:
        return fail(error, "invalid_input", "the input is not a JSON object");
    }
    size_t words = count_words(text.bytes, text.length);
    size_t bytes = text.length;
    free(text.bytes);
    log_line("counted words");
    uint64_t total;
    return add_to_total(words, &total, error) && write_output(words, bytes, total, output, error);
}

bool exports_palyra_plugin_tools_invoke(tool_plugin_string_t *tool_id, tool_plugin_string_t *input_json,
                                        tool_plugin_string_t *ret, tool_error *err) {
    bool known = tool_id->len == strlen(TOOL) && memcmp(tool_id->ptr, TOOL, tool_id->len) == 0;
    bool done = known ? count(input_json, ret, err) : fail(err, "unknown_tool", "there is no such tool");
    tool_plugin_string_free(tool_id);
    tool_plugin_string_free(input_json);
    return done;
}
