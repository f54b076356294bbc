/* Whole numbers as decimal text. */

#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* The digits of the largest 64-bit number. */
#define NUMBER_DIGITS 20

/* Writes `number` into `text`, which holds NUMBER_DIGITS bytes, and returns the length. */
size_t number_write(uint64_t number, char *text);

/* Reads a number that number_write wrote; anything else is 0. */
uint64_t number_read(const uint8_t *text, size_t length);

#endif
