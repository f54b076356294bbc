//! The state of a tape: recording a live run up to its size limit, or answering a replay.

use super::facts::{FACTS_OP, FactReader};
use super::recording::{FULL_OP, Recording, TapeFull};
use super::{Divergence, ReplayVerdict, Tape, TapeEnd, TapeHeader};
use palyra_common::{InOrder, JsonText};
use serde_json::Value;
use std::sync::Arc;

/// Records steps, or replays them and detects the first difference.
pub(crate) enum TapeMachine {
    Recording(Recording),
    Replaying(Replay),
}

pub(crate) struct Replay {
    tape: Arc<Tape>,
    next: usize,
    /// The current block of readings, once its first reading was requested.
    facts: Option<FactReader>,
    divergence: Option<Divergence>,
    /// Whether the recorded run ended from outside and the replay reached that point.
    at_cut: bool,
    /// The limit that the recorded run reached, once the replay reached it too.
    full: Option<TapeFull>,
}

/// The action for a step.
pub(crate) enum Begun {
    /// Perform the operation, then record its answer under this index.
    Live(usize),
    /// The answer from the tape.
    Replayed(usize, Value),
    /// The replay cannot continue.
    Stopped,
    /// The tape has no space for the step, so the operation must not be performed.
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

    /// Begins a reading of a clock or counter. A live one is recorded with [`reading`](Self::reading).
    pub(crate) fn begin_reading(&mut self, op: &str) -> Begun {
        match self {
            Self::Recording(recording) => recording.begin_reading(),
            // Version 1 has one step per reading.
            Self::Replaying(replay) if replay.tape.header.is_version_1() => replay.begin(op, &Value::Null),
            Self::Replaying(replay) => replay.begin_reading(op),
        }
    }

    /// Records the answer of a live step, unless the tape has no space for it.
    pub(crate) fn answer(&mut self, index: usize, answer: Value) -> Result<(), TapeFull> {
        match self {
            Self::Recording(recording) => recording.answer(index, answer),
            Self::Replaying(_) => Ok(()),
        }
    }

    /// Records a short answer of a live step, even beyond the limit, so that every performed step has an answer.
    pub(crate) fn answer_shortly(&mut self, index: usize, answer: Value) {
        if let Self::Recording(recording) = self {
            recording.answer_shortly(index, answer);
        }
    }

    /// Records a live reading.
    pub(crate) fn reading(&mut self, op: &str, value: u64) {
        if let Self::Recording(recording) = self {
            recording.reading(op, value);
        }
    }

    /// Records that a replayed step cannot be continued.
    pub(crate) fn diverge(&mut self, index: usize, what: &str, expected: String, found: String) {
        if let Self::Replaying(replay) = self {
            replay.note(index + 1, what, expected, found);
        }
    }

    /// Records that a replay accessed a file, which tapes of version 1 do not contain.
    pub(crate) fn stop_at_files(&mut self) {
        if let Self::Replaying(replay) = self {
            let found = "a file, and this version of tapes has none";
            replay.note(replay.next + 1, "files", "no file", found);
        }
    }

    /// Completes the tape. Returns it, with the verdict of a replay.
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
                self.note(index + 1, "steps", "no further step", found);
            }
            return Begun::Stopped;
        };
        if step.op != op {
            self.note(index + 1, "op", step.op.clone(), op.to_owned());
            return Begun::Stopped;
        }
        if step.request != *request {
            self.note(index + 1, "request", brief(&step.request), brief(request));
            return Begun::Stopped;
        }
        if step.answer.is_null() && ended_from_outside(&self.tape.end) {
            self.at_cut = true;
            return Begun::Stopped;
        }
        let Some(answer) = self.tape.whole_answer(&step.answer) else {
            self.note(index + 1, "answer", "an answer", "one whose bytes are not on the tape");
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
                // Not a block of readings: the ordinary comparison reports the difference.
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
                self.note(index + 1, "op", expected.to_owned(), op.to_owned());
                Begun::Stopped
            }
            None => {
                self.note(index + 1, "answer", "a block of readings", "bytes that are none");
                Begun::Stopped
            }
        }
    }

    /// Returns the result of every further step, once the replay cannot continue.
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

    /// Keeps the first divergence.
    fn note(&mut self, step: usize, what: &str, expected: impl Into<String>, found: impl Into<String>) {
        self.divergence.get_or_insert_with(|| divergence(step, what, expected, found));
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
            ReplayVerdict::Diverged(divergence(last, what, expected, found))
        };
        if let Some(step) = self.tape.steps.get(self.next) {
            let expected = format!("{} {}", step.op, brief(&step.request));
            return ReplayVerdict::Diverged(divergence(self.next + 1, "steps", expected, "the run ended"));
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

/// Returns the divergence at a step, whose number counts from 1.
fn divergence(step: usize, what: &str, expected: impl Into<String>, found: impl Into<String>) -> Divergence {
    Divergence { step: step as u64, what: what.to_owned(), expected: expected.into(), found: found.into() }
}

/// Returns whether time or the caller ended the run. Then only an identical prefix is guaranteed.
fn ended_from_outside(end: &TapeEnd) -> bool {
    matches!(&*end.outcome, "timed_out" | "cancelled")
}

/// Returns whether the recorded fuel is comparable. For a run that ended by a trap or limit, version 1 omits the part
/// since the last call.
fn counts_fuel_as_now(tape: &Tape) -> bool {
    !tape.header.is_version_1() || matches!(&*tape.end.outcome, "ok" | "tool_failed")
}

fn brief(value: &Value) -> String {
    clip(&InOrder(value).to_string())
}

fn clip(text: &str) -> String {
    palyra_common::text::clip_marked(text, 200).into_owned()
}
