/* Asks WASI for everything an ordinary program would ask for; the tool id selects what.
 *
 * The input is one JSON string without escapes, usually a path; the output is a JSON string.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool_plugin.h"

extern char **environ;

/* The text between the first and the last quote of the input. */
static char *argument(const tool_plugin_string_t *input) {
    char *copy = calloc(1, input->len + 1);
    memcpy(copy, input->ptr, input->len);
    char *start = strchr(copy, '"');
    char *end = strrchr(copy, '"');
    if (!start || end == start) return copy;
    *end = 0;
    return start + 1;
}

static void environment(char *out, size_t size) {
    int count = 0;
    for (char **entry = environ; entry && *entry; entry++) count++;
    char cwd[256];
    snprintf(out, size, "%d variables, home %s, cwd %s", count, getenv("HOME") ? "set" : "unset",
             getcwd(cwd, sizeof cwd) ? cwd : "none");
}

static void read_file(const char *path, char *out, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(out, size, "error %d", errno);
        return;
    }
    size_t length = fread(out, 1, size - 1, file);
    out[length] = 0;
    fclose(file);
}

static void write_file(const char *path, char *out, size_t size) {
    FILE *file = fopen(path, "w");
    if (!file) {
        snprintf(out, size, "error %d", errno);
        return;
    }
    fputs("written", file);
    snprintf(out, size, fclose(file) ? "error %d" : "ok", errno);
}

static void list_directory(const char *path, char *out, size_t size) {
    DIR *directory = opendir(path);
    if (!directory) {
        snprintf(out, size, "error %d", errno);
        return;
    }
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) count++;
    snprintf(out, size, "%d entries", count);
    closedir(directory);
}

static void clocks(char *out, size_t size) {
    struct timespec wall, before, after, pause = {.tv_nsec = 2000000};
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    snprintf(out, size, "%lld.%09ld %lld %ld", (long long)wall.tv_sec, wall.tv_nsec,
             (long long)(after.tv_sec - before.tv_sec), after.tv_nsec - before.tv_nsec);
}

static void randomness(char *out, size_t size) {
    unsigned char bytes[8] = {0};
    if (getentropy(bytes, sizeof bytes)) {
        snprintf(out, size, "error %d", errno);
        return;
    }
    for (size_t at = 0; at < sizeof bytes; at++) snprintf(out + 2 * at, size - 2 * at, "%02x", bytes[at]);
}

bool exports_palyra_plugin_tools_invoke(tool_plugin_string_t *tool_id, tool_plugin_string_t *input,
                                        tool_plugin_string_t *output, exports_palyra_plugin_tools_tool_error_t *error) {
    char id[64] = {0}, text[4000] = {0}, json[4100];
    memcpy(id, tool_id->ptr, tool_id->len < sizeof id ? tool_id->len : sizeof id - 1);
    const char *given = argument(input);
    if (!strcmp(id, "probe.environment")) environment(text, sizeof text);
    else if (!strcmp(id, "probe.read")) read_file(given, text, sizeof text);
    else if (!strcmp(id, "probe.write")) write_file(given, text, sizeof text);
    else if (!strcmp(id, "probe.list")) list_directory(given, text, sizeof text);
    else if (!strcmp(id, "probe.clocks")) clocks(text, sizeof text);
    else if (!strcmp(id, "probe.random")) randomness(text, sizeof text);
    else if (!strcmp(id, "probe.print")) {
        printf("to stdout: %s\n", given);
        fprintf(stderr, "to stderr\n");
        fflush(stdout);
    } else if (!strcmp(id, "probe.exit")) exit(3);
    else {
        tool_plugin_string_dup(&error->code, "unknown_tool");
        tool_plugin_string_dup(&error->message, id);
        error->details_json.is_some = false;
        return false;
    }
    snprintf(json, sizeof json, "\"%s\"", text);
    tool_plugin_string_dup(output, json);
    return true;
}
