//! Detects repeated calls: three identical ones in a row stop a run, and a repeated write returns its first result.

use std::collections::BTreeMap;

use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use crate::call::Call;

/// Number of identical calls in a row that stops a run.
const MOST_IN_A_ROW: u32 = 3;

/// Earlier calls of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopGuard {
    last: Option<String>,
    in_a_row: u32,
    /// Results of calls that can write, by the digest of tool and arguments.
    written: BTreeMap<String, String>,
}

impl LoopGuard {
    /// Records a proposal; returns true if it is one repetition too many.
    pub(crate) fn note(&mut self, tool_id: &str, arguments: &str) -> bool {
        let digest = digest(tool_id, arguments);
        if self.last.as_ref() == Some(&digest) {
            self.in_a_row += 1
        } else {
            (self.last, self.in_a_row) = (Some(digest), 1)
        }
        self.in_a_row >= MOST_IN_A_ROW
    }

    /// Stores the result of a call that can write.
    pub(crate) fn keep(&mut self, call: &Call, result: &str) {
        if call.access.writes {
            self.written.insert(digest(&call.tool_id, &call.arguments), result.to_owned());
        }
    }

    /// Returns the stored result of an identical call.
    pub(crate) fn kept(&self, call: &Call) -> Option<&str> {
        self.written.get(&digest(&call.tool_id, &call.arguments)).map(String::as_str)
    }
}

fn digest(tool_id: &str, arguments: &str) -> String {
    Sha256Digest::of(format!("{tool_id}\0{arguments}").as_bytes()).to_string()
}
