#include "number.h"

#include <string.h>

size_t number_write(uint64_t number, char *text) {
    char digits[NUMBER_DIGITS];
    size_t start = NUMBER_DIGITS;
    do {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(text, digits + start, NUMBER_DIGITS - start);
    return NUMBER_DIGITS - start;
}

uint64_t number_read(const uint8_t *text, size_t length) {
    uint64_t number = 0;
    for (size_t index = 0; index < length; index++) {
        unsigned digit = (unsigned)text[index] - '0';
        if (digit > 9 || number > (UINT64_MAX - digit) / 10) return 0;
        number = number * 10 + digit;
    }
    return number;
}
