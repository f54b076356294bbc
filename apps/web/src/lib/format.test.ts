import { describe, expect, it } from 'vitest';
import { ago, bytes, compact, countdown, plural, quote, short, span, visible, words } from './format';

describe('format', () => {
  it('shortens_numbers_with_units', () => {
    expect(compact(999)).toBe('999');
    expect(compact(3_184_220)).toBe('3.2 M');
    expect(bytes(2_184_117)).toBe('2.1 MiB');
    expect(bytes(12)).toBe('12 B');
  });
  it('shows_the_two_largest_units_of_a_duration', () => {
    expect(span(9 * 86_400_000 + 4 * 3_600_000 + 61_000)).toBe('9 d 4 h');
    expect(span(400)).toBe('0 s');
    expect(countdown(761_000)).toBe('12:41');
    expect(countdown(-5)).toBe('0:00');
  });
  it('describes_recent_times', () => {
    expect(ago(1_000_000, 1_005_000)).toBe('just now');
    expect(ago(0, 7_200_000)).toBe('2 h ago');
    expect(ago(120_000, 0)).toBe('in 2 min');
  });
  it('quotes_arguments_for_a_shell', () => {
    expect(quote('acme.notes')).toBe('acme.notes');
    expect(quote(`it's`)).toBe(`'it'\\''s'`);
    expect(quote('')).toBe(`''`);
    expect(quote('$(rm)')).toBe(`'$(rm)'`);
  });
  it('makes_hidden_characters_visible', () => {
    expect(visible('safe\u202Eevil')).toBe('safe\\u{202e}evil');
    expect(visible('a\u0000b\nc')).toBe('a\\u{0}b\nc');
  });
  it('names_and_shortens', () => {
    expect(short('0123456789abcdef')).toBe('01234567…cdef');
    expect(plural(1, 'skill')).toBe('1 skill');
    expect(plural(2, 'reply', 'replies')).toBe('2 replies');
    expect(words('acme.mail_box')).toBe('Mail box');
  });
});
