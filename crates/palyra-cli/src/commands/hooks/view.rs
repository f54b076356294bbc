//! Formats bindings for people.

use crate::output::{Remark, facts, moment};
use palyra_api::hooks::{BindingsFile, BindingsFileState, HookBinding};
use palyra_common::redact::escape_untrusted;

/// Formats every field of a binding.
pub(super) fn binding(binding: &HookBinding) -> String {
    let cursor = binding.cursor.as_ref();
    let delivered = cursor
        .map_or_else(String::new, |cursor| format!("{} events, next is {}", cursor.delivered, cursor.next));
    let waits = cursor.and_then(|cursor| cursor.error.as_deref()).map_or_else(String::new, |error| {
        let again =
            cursor.and_then(|cursor| cursor.retry_at_ms).map(|at| format!(", again at {}", moment(at)));
        format!("{}{}", escape_untrusted(error), again.unwrap_or_default())
    });
    facts(&[
        ("binding", binding.id.clone()),
        ("event", binding.event.clone()),
        ("plugin", binding.plugin.clone()),
        ("hook", binding.hook.clone()),
        ("is", status(binding)),
        ("order", if binding.gate { binding.order.to_string() } else { String::new() }),
        ("time", format!("{} ms", binding.timeout_ms)),
        ("fuel", binding.fuel.map(|fuel| fuel.to_string()).unwrap_or_default()),
        ("attempts", if binding.gate { String::new() } else { binding.max_attempts.to_string() }),
        ("skills", binding.skills.join(", ")),
        ("tools", binding.tools.join(", ")),
        ("delivered", delivered),
        ("waits", waits),
        (
            "dead letters",
            if binding.dead_letters > 0 { binding.dead_letters.to_string() } else { String::new() },
        ),
        ("problem", binding.problem.as_deref().map(escape_untrusted).unwrap_or_default()),
    ])
}

/// Returns `a gate` or `an observer`, or why it is disabled or cannot run.
pub(super) fn status(binding: &HookBinding) -> String {
    match (binding.enabled, binding.gate) {
        (false, true) => "gate, disabled".into(),
        (false, false) => "observer, disabled".into(),
        (true, true) => "a gate".into(),
        (true, false) => "an observer".into(),
    }
}

/// Returns remarks about a bindings file that is not applied.
pub(super) fn file(file: &BindingsFile) -> Vec<Remark> {
    let apply = || Remark::Next("accept it with `palyra hooks apply`".into());
    let restore = || Remark::Next("discard it with `palyra hooks apply --restore`".into());
    match file.state {
        BindingsFileState::Applied => Vec::new(),
        BindingsFileState::Missing => vec![
            Remark::Warning(
                "`hooks/bindings.json` is missing; the bindings applied last stay in force".into(),
            ),
            restore(),
        ],
        BindingsFileState::Edited => {
            let changes: Vec<String> =
                file.changes.iter().map(|change| format!("{} {}", change.change, change.id)).collect();
            let changes = if changes.is_empty() { "its formatting".to_owned() } else { changes.join(", ") };
            vec![
                Remark::Warning(format!("`hooks/bindings.json` has unapplied changes: {changes}")),
                apply(),
                restore(),
            ]
        }
        BindingsFileState::Unreadable => {
            let problem = file.problem.as_deref().map(escape_untrusted).unwrap_or_default();
            vec![Remark::Warning(format!("cannot apply `hooks/bindings.json`: {problem}")), restore()]
        }
    }
}
