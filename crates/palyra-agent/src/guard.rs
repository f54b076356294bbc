//! Calls that repeat themselves: three in a row stop a run, and one that can write is answered from its first receipt.

use std::collections::BTreeMap;

use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use crate::call::Call;

/// Identical calls in a row that stop a run.
const MOST_IN_A_ROW: u32 = 3;

/// What a run called before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopGuard {
    last: Option<String>,
    in_a_row: u32,
    /// Results of calls that can write, by the digest of tool and arguments.
    written: BTreeMap<String, String>,
}

impl LoopGuard {
    /// Notes a proposal; true where it is one too many of the same.
    pub(crate) fn note(&mut self, tool_id: &str, arguments: &str) -> bool {
        let digest = digest(tool_id, arguments);
        if self.last.as_ref() == Some(&digest) {
            self.in_a_row += 1
        } else {
            (self.last, self.in_a_row) = (Some(digest), 1)
        }
        self.in_a_row >= MOST_IN_A_ROW
    }

    /// Remembers the result of a call that can write.
    pub(crate) fn keep(&mut self, call: &Call, result: &str) {
        if call.access.writes {
            self.written.insert(digest(&call.tool_id, &call.arguments), result.to_owned());
        }
    }

    /// The result of an identical call that can write.
    pub(crate) fn kept(&self, call: &Call) -> Option<&str> {
        self.written.get(&digest(&call.tool_id, &call.arguments)).map(String::as_str)
    }
}

fn digest(tool_id: &str, arguments: &str) -> String {
    Sha256Digest::of(format!("{tool_id}\0{arguments}").as_bytes()).to_string()
}
