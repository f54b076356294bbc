//! One row of the result.

use serde::{Serialize, Serializer};
use std::fmt;

/// The figures of a row with its verdict.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: &'static str,
    pub ours: Option<f64>,
    pub baseline: Option<f64>,
    pub unit: &'static str,
    /// `None` for a counter, whose goal is about `ours`.
    pub ratio: Option<f64>,
    pub goal: Goal,
    pub ok: bool,
    #[serde(skip)]
    pub note: Option<String>,
}

/// The figures of a row, before they are compared with its goal.
#[derive(Debug)]
pub struct Measured {
    pub ours: f64,
    pub baseline: Option<f64>,
    pub note: Option<String>,
}

/// How the goal's number is computed from the figures of a row.
#[derive(Debug, Clone, Copy)]
pub enum Compare {
    /// Our time divided by the baseline's; less is better.
    OursOverBaseline,
    /// The baseline's time divided by ours; more is better.
    BaselineOverOurs,
    /// Our counter alone.
    OursAlone,
}

/// The limit for the number of a row.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    AtMost(f64),
    AtLeast(f64),
    /// Without a goal: the figure is only reported.
    Reported,
}

impl Row {
    /// Computes the ratio and the verdict.
    pub fn judge(
        name: &'static str,
        unit: &'static str,
        compare: Compare,
        goal: Goal,
        measured: Measured,
    ) -> Self {
        let Measured { ours, baseline, note } = measured;
        let ratio = match compare {
            Compare::OursOverBaseline => baseline.map(|baseline| ours / baseline),
            Compare::BaselineOverOurs => baseline.map(|baseline| baseline / ours),
            Compare::OursAlone => None,
        };
        let ok = goal.is_met_by(ratio.unwrap_or(ours));
        Self { name, ours: Some(ours), baseline, unit, ratio, goal, ok, note }
    }

    /// Creates a row that could not be measured on this machine: it misses its goal, and the note gives the reason.
    pub fn not_measured(name: &'static str, unit: &'static str, goal: Goal, reason: String) -> Self {
        let note = Some(format!("not measured: {reason}"));
        Self { name, ours: None, baseline: None, unit, ratio: None, goal, ok: false, note }
    }
}

impl Goal {
    fn is_met_by(self, value: f64) -> bool {
        // Goals are compared with the shown value, which has two decimals.
        let shown = (value * 100.0).round() / 100.0;
        match self {
            Self::AtMost(most) => shown <= most,
            Self::AtLeast(least) => shown >= least,
            Self::Reported => true,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "<= {most}"),
            Self::AtLeast(least) => write!(f, ">= {least}"),
            Self::Reported => write!(f, "none"),
        }
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(compare: Compare, goal: Goal, ours: f64, baseline: Option<f64>) -> Row {
        Row::judge("r", "us", compare, goal, Measured { ours, baseline, note: None })
    }

    #[test]
    fn a_goal_is_about_the_ratio_or_the_counter() {
        assert!(row(Compare::OursOverBaseline, Goal::AtMost(1.3), 13.0, Some(10.0)).ok);
        assert!(!row(Compare::OursOverBaseline, Goal::AtMost(1.3), 13.1, Some(10.0)).ok);
        assert!(row(Compare::BaselineOverOurs, Goal::AtLeast(2.0), 10.0, Some(20.0)).ok);
        assert!(!row(Compare::BaselineOverOurs, Goal::AtLeast(2.0), 20.0, Some(20.0)).ok);
        assert!(row(Compare::OursAlone, Goal::AtMost(0.0), 0.004, None).ok);
        assert!(!row(Compare::OursAlone, Goal::AtMost(0.0), 0.01, None).ok);
        assert!(row(Compare::OursOverBaseline, Goal::Reported, 1e9, Some(1.0)).ok);
        assert!(!Row::not_measured("r", "us", Goal::AtMost(1.0), "no tool".into()).ok);
    }

    #[test]
    fn a_row_is_seven_fields_of_json() {
        let row = row(Compare::OursOverBaseline, Goal::AtMost(1.3), 12.0, Some(10.0));
        let text = serde_json::to_string(&row).unwrap();
        let expected =
            r#"{"name":"r","ours":12.0,"baseline":10.0,"unit":"us","ratio":1.2,"goal":"<= 1.3","ok":true}"#;
        assert_eq!(text, expected);
    }
}
