//! A tape in use: recording a live run, or answering a replay.

use super::{Divergence, ReplayVerdict, Tape, TapeEnd, TapeHeader, TapeStep};
use palyra_common::{InOrder, JsonText};
use serde_json::Value;
use std::sync::Arc;

/// Records steps, or plays them back and notices the first difference.
pub(crate) enum TapeMachine {
    Recording(Vec<TapeStep>),
    Replaying(Replay),
}

pub(crate) struct Replay {
    tape: Arc<Tape>,
    next: usize,
    divergence: Option<Divergence>,
    /// The recorded run was ended from outside and the replay has reached that point.
    at_cut: bool,
}

/// What to do for a step.
pub(crate) enum Begun {
    /// Do it, then report the answer under this number.
    Live(usize),
    /// The tape's answer.
    Replayed(usize, Value),
    /// The replay cannot go on.
    Stopped,
}

impl TapeMachine {
    pub(crate) fn recording() -> Self {
        Self::Recording(Vec::new())
    }

    pub(crate) fn replaying(tape: Arc<Tape>) -> Self {
        Self::Replaying(Replay { tape, next: 0, divergence: None, at_cut: false })
    }

    pub(crate) fn begin(&mut self, op: &str, request: Value) -> Begun {
        match self {
            Self::Recording(steps) => {
                steps.push(TapeStep { op: op.to_owned(), request, answer: Value::Null });
                Begun::Live(steps.len() - 1)
            }
            Self::Replaying(replay) => replay.begin(op, &request),
        }
    }

    /// Sets the answer of a live step.
    pub(crate) fn answer(&mut self, index: usize, answer: Value) {
        if let Self::Recording(steps) = self
            && let Some(step) = steps.get_mut(index)
        {
            step.answer = answer;
        }
    }

    /// Says that a replayed step cannot be continued from.
    pub(crate) fn diverge(&mut self, index: usize, what: &str, expected: String, found: String) {
        if let Self::Replaying(replay) = self {
            replay.note(Divergence { step: index + 1, what: what.into(), expected, found });
        }
    }

    /// Closes the tape: the recording, and for a replay the verdict.
    pub(crate) fn finish(self, header: TapeHeader, end: TapeEnd) -> (Tape, Option<ReplayVerdict>) {
        match self {
            Self::Recording(steps) => (Tape { header, steps, end }, None),
            Self::Replaying(replay) => {
                let verdict = replay.verdict(&header, &end);
                (Arc::unwrap_or_clone(replay.tape), Some(verdict))
            }
        }
    }
}

impl Replay {
    fn begin(&mut self, op: &str, request: &Value) -> Begun {
        if self.divergence.is_some() || self.at_cut {
            return Begun::Stopped;
        }
        let index = self.next;
        let Some(step) = self.tape.steps.get(index) else {
            if ended_from_outside(&self.tape.end) {
                self.at_cut = true;
            } else {
                let found = format!("{op} {}", brief(request));
                self.note(Divergence {
                    step: index + 1,
                    what: "steps".into(),
                    expected: "no further step".into(),
                    found,
                });
            }
            return Begun::Stopped;
        };
        if step.op != op {
            let (expected, found) = (step.op.clone(), op.to_owned());
            self.note(Divergence { step: index + 1, what: "op".into(), expected, found });
            return Begun::Stopped;
        }
        if step.request != *request {
            let (expected, found) = (brief(&step.request), brief(request));
            self.note(Divergence { step: index + 1, what: "request".into(), expected, found });
            return Begun::Stopped;
        }
        if step.answer.is_null() && ended_from_outside(&self.tape.end) {
            self.at_cut = true;
            return Begun::Stopped;
        }
        self.next += 1;
        Begun::Replayed(index, step.answer.clone())
    }

    fn note(&mut self, divergence: Divergence) {
        self.divergence.get_or_insert(divergence);
    }

    fn verdict(&self, header: &TapeHeader, end: &TapeEnd) -> ReplayVerdict {
        let recorded = &self.tape.end;
        if let Some(divergence) = &self.divergence {
            return ReplayVerdict::Diverged(divergence.clone());
        }
        if ended_from_outside(recorded) {
            return ReplayVerdict::SamePrefix;
        }
        let last = self.tape.steps.len() + 1;
        let differs = |what: &str, expected: String, found: String| {
            ReplayVerdict::Diverged(Divergence { step: last, what: what.into(), expected, found })
        };
        if let Some(step) = self.tape.steps.get(self.next) {
            let step = Divergence {
                step: self.next + 1,
                what: "steps".into(),
                expected: format!("{} {}", step.op, brief(&step.request)),
                found: "the run ended".into(),
            };
            return ReplayVerdict::Diverged(step);
        }
        if recorded.outcome != end.outcome {
            return differs("outcome", recorded.outcome.to_string(), end.outcome.to_string());
        }
        if recorded.output != end.output {
            let text =
                |output: &Option<JsonText>| clip(output.as_ref().map_or("no output", JsonText::as_str));
            return differs("output", text(&recorded.output), text(&end.output));
        }
        if header.engine == self.tape.header.engine && recorded.fuel != end.fuel {
            return differs("fuel", recorded.fuel.to_string(), end.fuel.to_string());
        }
        ReplayVerdict::Identical
    }
}

/// Runs ended by time or by their caller promise an equal prefix only.
fn ended_from_outside(end: &TapeEnd) -> bool {
    matches!(&*end.outcome, "timed_out" | "cancelled")
}

fn brief(value: &Value) -> String {
    clip(&InOrder(value).to_string())
}

fn clip(text: &str) -> String {
    let mut short: String = text.chars().take(200).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
