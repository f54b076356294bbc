//! Durations of the steps of a tape. They are not on the tape because they differ in every run.

use std::time::{Duration, Instant};

/// Maximum number of timed steps of one run.
const MAX_TIMED: usize = 1_000;

/// The times of a live run.
#[derive(Default)]
pub(crate) struct StepTimes {
    begun: Vec<(usize, Instant)>,
    ended: Vec<StepTime>,
}

/// The duration of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepTime {
    /// Its place on the tape, from 0.
    pub index: usize,
    /// Time from the start of the step to its answer.
    pub elapsed: Duration,
}

impl StepTimes {
    pub(crate) fn begin(&mut self, index: usize) {
        if self.begun.len().saturating_add(self.ended.len()) < MAX_TIMED {
            self.begun.push((index, Instant::now()));
        }
    }

    pub(crate) fn end(&mut self, index: usize) {
        let Some(at) = self.begun.iter().rposition(|(begun, _)| *begun == index) else { return };
        let (_, began) = self.begun.swap_remove(at);
        self.ended.push(StepTime { index, elapsed: began.elapsed() });
    }

    /// Returns the times of all completed steps, in the order of the tape.
    pub(crate) fn finish(mut self) -> Vec<StepTime> {
        self.ended.sort_unstable_by_key(|time| time.index);
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_bounded_and_in_the_order_of_the_tape() {
        let mut times = StepTimes::default();
        times.begin(0);
        times.begin(1);
        times.end(1);
        times.end(0);
        times.end(7);
        (2..5_000).for_each(|index| times.begin(index));
        (2..5_000).for_each(|index| times.end(index));
        let indexes: Vec<usize> = times.finish().iter().map(|time| time.index).collect();
        assert_eq!(indexes, (0..MAX_TIMED).collect::<Vec<_>>());
    }
}
