//! A tape in use: recording a live run under its byte limit, or answering a replay.

use super::facts::{FACTS_OP, FactReader};
use super::recording::{FULL_OP, Recording, TapeFull};
use super::{Divergence, ReplayVerdict, Tape, TapeEnd, TapeHeader};
use palyra_common::{InOrder, JsonText};
use serde_json::Value;
use std::sync::Arc;

/// Records steps, or plays them back and notices the first difference.
pub(crate) enum TapeMachine {
    Recording(Recording),
    Replaying(Replay),
}

pub(crate) struct Replay {
    tape: Arc<Tape>,
    next: usize,
    /// The block of readings the next step is, once the first of them was asked for.
    facts: Option<FactReader>,
    divergence: Option<Divergence>,
    /// The recorded run was ended from outside and the replay has reached that point.
    at_cut: bool,
    /// The recorded run reached the limit of its tape, and so has the replay.
    full: Option<TapeFull>,
}

/// What to do for a step.
pub(crate) enum Begun {
    /// Do it, then report the answer under this number.
    Live(usize),
    /// The tape's answer.
    Replayed(usize, Value),
    /// The replay cannot go on.
    Stopped,
    /// The tape has no room for the step: do not do it.
    Full(TapeFull),
}

impl TapeMachine {
    pub(crate) fn recording(max_bytes: u64) -> Self {
        Self::Recording(Recording::new(max_bytes))
    }

    pub(crate) fn replaying(tape: Arc<Tape>) -> Self {
        let (divergence, facts, full) = (None, None, None);
        Self::Replaying(Replay { tape, next: 0, facts, divergence, at_cut: false, full })
    }

    pub(crate) fn begin(&mut self, op: &str, request: Value) -> Begun {
        match self {
            Self::Recording(recording) => recording.begin(op, request),
            Self::Replaying(replay) => replay.begin(op, &request),
        }
    }

    /// Begins a reading of a clock or a counter; a live one is reported to [`reading`](Self::reading).
    pub(crate) fn begin_reading(&mut self, op: &str) -> Begun {
        match self {
            Self::Recording(recording) => recording.begin_reading(),
            // Version 1 has a step for each reading.
            Self::Replaying(replay) if replay.tape.header.is_version_1() => replay.begin(op, &Value::Null),
            Self::Replaying(replay) => replay.begin_reading(op),
        }
    }

    /// Sets the answer of a live step; an answer the tape has no room for is not set.
    pub(crate) fn answer(&mut self, index: usize, answer: Value) -> Result<(), TapeFull> {
        match self {
            Self::Recording(recording) => recording.answer(index, answer),
            Self::Replaying(_) => Ok(()),
        }
    }

    /// Sets a short answer of a live step, also beyond the limit: every step that was done has its answer.
    pub(crate) fn answer_shortly(&mut self, index: usize, answer: Value) {
        if let Self::Recording(recording) = self {
            recording.answer_shortly(index, answer);
        }
    }

    /// Keeps a live reading.
    pub(crate) fn reading(&mut self, op: &str, value: u64) {
        if let Self::Recording(recording) = self {
            recording.reading(op, value);
        }
    }

    /// Says that a replayed step cannot be continued from.
    pub(crate) fn diverge(&mut self, index: usize, what: &str, expected: String, found: String) {
        if let Self::Replaying(replay) = self {
            replay.note(Divergence { step: index + 1, what: what.into(), expected, found });
        }
    }

    /// Says that a replay came to a file, which a tape of version 1 does not have.
    pub(crate) fn stop_at_files(&mut self) {
        if let Self::Replaying(replay) = self {
            let (step, what) = (replay.next + 1, "files".to_owned());
            let (expected, found) = ("no file".into(), "a file, and this version of tapes has none".into());
            replay.note(Divergence { step, what, expected, found });
        }
    }

    /// Closes the tape: the recording, and for a replay the verdict.
    pub(crate) fn finish(self, header: TapeHeader, end: TapeEnd) -> (Tape, Option<ReplayVerdict>) {
        match self {
            Self::Recording(recording) => {
                let (steps, blobs) = recording.finish();
                (Tape { header, steps, blobs, end }, None)
            }
            Self::Replaying(replay) => {
                let verdict = replay.verdict(&header, &end);
                (Arc::unwrap_or_clone(replay.tape), Some(verdict))
            }
        }
    }
}

impl Replay {
    fn begin(&mut self, op: &str, request: &Value) -> Begun {
        if let Some(begun) = self.is_over() {
            return begun;
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
        let Some(answer) = self.tape.whole_answer(&step.answer) else {
            let (expected, found) = ("an answer".into(), "one whose bytes are not on the tape".into());
            self.note(Divergence { step: index + 1, what: "answer".into(), expected, found });
            return Begun::Stopped;
        };
        self.next += 1;
        Begun::Replayed(index, answer)
    }

    fn begin_reading(&mut self, op: &str) -> Begun {
        if let Some(begun) = self.is_over() {
            return begun;
        }
        let index = self.next;
        if self.facts.is_none() {
            match self.tape.steps.get(index) {
                Some(step) if step.op == FACTS_OP => self.facts = FactReader::open(step),
                // Not a reading: the ordinary comparison says what is there instead.
                _ => return self.begin(op, &Value::Null),
            }
        }
        let reading = self.facts.as_mut().and_then(|facts| Some((facts.next_op()?, facts.take()?)));
        if self.facts.as_ref().is_some_and(FactReader::is_done) {
            self.facts = None;
            self.next += 1;
        }
        match reading {
            Some((expected, value)) if expected == op => Begun::Replayed(index, value.into()),
            Some((expected, _)) => {
                let (expected, found) = (expected.to_owned(), op.to_owned());
                self.note(Divergence { step: index + 1, what: "op".into(), expected, found });
                Begun::Stopped
            }
            None => {
                let (expected, found) = ("a block of readings".into(), "bytes that are none".into());
                self.note(Divergence { step: index + 1, what: "answer".into(), expected, found });
                Begun::Stopped
            }
        }
    }

    /// What every further step gets, once the replay cannot go on.
    fn is_over(&mut self) -> Option<Begun> {
        if self.divergence.is_some() || self.at_cut {
            return Some(Begun::Stopped);
        }
        if self.full.is_none()
            && let Some(step) = self.tape.steps.get(self.next).filter(|step| step.op == FULL_OP)
        {
            self.full = serde_json::from_value(step.request.clone()).ok();
            self.next += usize::from(self.full.is_some());
        }
        self.full.map(Begun::Full)
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
        if header.engine == self.tape.header.engine
            && counts_fuel_as_now(&self.tape)
            && recorded.fuel != end.fuel
        {
            return differs("fuel", recorded.fuel.to_string(), end.fuel.to_string());
        }
        ReplayVerdict::Identical
    }
}

/// Runs ended by time or by their caller promise an equal prefix only.
fn ended_from_outside(end: &TapeEnd) -> bool {
    matches!(&*end.outcome, "timed_out" | "cancelled")
}

/// Version 1 recorded the fuel of a run that ended by a trap or a limit without the part since the last call, so
/// that figure says nothing about a replay.
fn counts_fuel_as_now(tape: &Tape) -> bool {
    !tape.header.is_version_1() || matches!(&*tape.end.outcome, "ok" | "tool_failed")
}

fn brief(value: &Value) -> String {
    clip(&InOrder(value).to_string())
}

fn clip(text: &str) -> String {
    palyra_common::text::clip_marked(text, 200).into_owned()
}
