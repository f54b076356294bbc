import { describe, expect, it } from 'vitest';
import { roundUp } from './call-bars';

describe('roundUp', () => {
  it('gives_the_axis_a_round_top_that_no_bar_exceeds', () => {
    expect([0, 1, 3, 10, 11, 28, 51, 999].map(roundUp)).toEqual([1, 1, 5, 10, 20, 50, 100, 1_000]);
  });
});
