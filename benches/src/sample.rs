//! Measures two sides alternately.

use anyhow::Result;
use std::time::{Duration, Instant};

/// Number of calls on each side.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub rounds: usize,
    pub ours_per_round: usize,
    pub baseline_per_round: usize,
}

impl Plan {
    /// Returns a plan with the same number of calls on both sides.
    pub fn even(rounds: usize, per_round: usize) -> Self {
        Self { rounds, ours_per_round: per_round, baseline_per_round: per_round }
    }
}

/// Median time of a call on each side, in microseconds.
#[derive(Debug, Clone, Copy)]
pub struct Medians {
    pub ours: f64,
    pub baseline: f64,
}

/// Calls both sides alternately and times every call. The first round only warms up.
pub async fn in_turn(
    plan: Plan,
    mut ours: impl AsyncFnMut() -> Result<()>,
    mut baseline: impl AsyncFnMut() -> Result<()>,
) -> Result<Medians> {
    let mut our_times = Vec::with_capacity(plan.rounds * plan.ours_per_round);
    let mut their_times = Vec::with_capacity(plan.rounds * plan.baseline_per_round);
    timed(plan.ours_per_round, &mut ours, &mut Vec::new()).await?;
    timed(plan.baseline_per_round, &mut baseline, &mut Vec::new()).await?;
    for _ in 0..plan.rounds {
        timed(plan.ours_per_round, &mut ours, &mut our_times).await?;
        timed(plan.baseline_per_round, &mut baseline, &mut their_times).await?;
    }
    Ok(Medians { ours: median_micros(our_times), baseline: median_micros(their_times) })
}

async fn timed(
    count: usize,
    call: &mut impl AsyncFnMut() -> Result<()>,
    times: &mut Vec<Duration>,
) -> Result<()> {
    for _ in 0..count {
        let started = Instant::now();
        call().await?;
        times.push(started.elapsed());
    }
    Ok(())
}

fn median_micros(times: Vec<Duration>) -> f64 {
    median(times.iter().map(|time| time.as_secs_f64() * 1e6).collect())
}

/// Returns the median; of an even number of figures, the upper one.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![9.0, 1.0]), 9.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[tokio::test]
    async fn both_sides_are_called_as_planned() {
        let (mut ours, mut theirs) = (0, 0);
        let plan = Plan { rounds: 4, ours_per_round: 3, baseline_per_round: 1 };
        let count = |counter: &mut i32| {
            *counter += 1;
            Ok(())
        };
        in_turn(plan, async || count(&mut ours), async || count(&mut theirs)).await.unwrap();
        assert_eq!((ours, theirs), (15, 5));
    }
}
