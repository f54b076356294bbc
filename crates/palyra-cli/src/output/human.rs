//! Formats runs and errors for people. Text from a guest cannot start a new line.

use super::units::{bytes, count, counted, duration};
use super::{Remark, Talk};
use crate::commands::run::FinishedRun;
use crate::error::CliError;
use anstyle::{AnsiColor, Style};
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;
use palyra_plugins_runtime::{
    ChannelMessage, HostCallTrace, LogLevel, LogLine, ModuleKind, ModuleOrigin, ReplayVerdict, RunUsage,
};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const QUIET: Style = Style::new().dimmed();

/// Maximum characters of one message.
const MAX_BODY_CHARS: usize = 2_000;

pub(super) fn warnings(warnings: &[String]) -> String {
    warnings.iter().map(|warning| line(WARNING, "warning", warning)).collect()
}

pub(super) fn remarks(remarks: &[Remark]) -> String {
    let shown = |remark: &Remark| match remark {
        Remark::Note(text) => quiet_line(text),
        Remark::Next(text) => line(HINT, "next", text),
        Remark::Warning(text) => line(WARNING, "warning", text),
    };
    remarks.iter().map(shown).collect()
}

/// Formats the message, the details below it, and the hints.
pub(super) fn error(error: &CliError) -> String {
    let mut text = line(ERROR, "error", &error.to_string());
    for (label, note) in error.notes() {
        text.push_str(&format!("  {label}: {}\n", escape_untrusted(&note)));
    }
    for written in error.output().unwrap_or_default().lines() {
        text.push_str(&format!("  {}\n", escape_untrusted(written)));
    }
    text.extend(error.hints().iter().map(|hint| line(HINT, "hint", hint)));
    text
}

/// Formats log, messages, trace and summary of a run.
pub(super) fn run(run: &FinishedRun, talk: Talk) -> String {
    let tool = escape_untrusted(&run.tool);
    let mut text: String = run.report.log.iter().map(|line| log_line(&tool, line)).collect();
    text.extend(run.channels.iter().map(channel_line));
    if talk.trace {
        text.extend(
            run.report.host_calls.iter().enumerate().map(|(index, call)| trace_line(index + 1, call)),
        );
    }
    if let Some(verdict) = &run.report.replay {
        text.push_str(&replay_lines(run, verdict));
    }
    // A run that was rejected before it began has no usage.
    if run.report.usage != RunUsage::default() {
        text.push_str(&quiet_line(&summary(&tool, run)));
    }
    if talk.verbose {
        text.push_str(&quiet_line(&identity(run)));
    }
    if let Some(path) = &run.recorded {
        text.push_str(&quiet_line(&format!("tape written to {}", path.display())));
    }
    text
}

fn line(style: Style, label: &str, text: &str) -> String {
    format!("{style}{label}:{style:#} {}\n", escape_untrusted(text))
}

fn quiet_line(text: &str) -> String {
    format!("{QUIET}{}{QUIET:#}\n", escape_untrusted(text))
}

fn log_line(tool: &str, line: &LogLine) -> String {
    let (style, level) = match line.level {
        LogLevel::Trace => (QUIET, "trace"),
        LogLevel::Debug => (QUIET, "debug"),
        LogLevel::Info => (Style::new(), "info"),
        LogLevel::Warn => (WARNING, "warn"),
        LogLevel::Error => (ERROR, "error"),
    };
    let source = if line.source == "log" { String::new() } else { format!(" {}", line.source) };
    format!("{style}[{level}]{style:#} {tool}{source}: {}\n", line.message)
}

fn channel_line(message: &ChannelMessage) -> String {
    let body = match std::str::from_utf8(&message.body) {
        Ok(text) if text.chars().count() > MAX_BODY_CHARS => {
            format!("{}…", clip_untrusted(text, MAX_BODY_CHARS))
        }
        Ok(text) => escape_untrusted(text),
        Err(_) => format!("{} of data", bytes(message.body.len() as u64)),
    };
    format!("[channel {}] {}: {body}\n", message.channel, escape_untrusted(&message.content_type))
}

fn trace_line(number: usize, call: &HostCallTrace) -> String {
    let subject = escape_untrusted(&call.subject);
    format!("[call {number}] {} {subject}: {}, {}\n", call.op, call.outcome, duration(call.elapsed))
}

fn summary(tool: &str, run: &FinishedRun) -> String {
    let (usage, limits, module) = (&run.report.usage, run.limits(), &run.module);
    let verb = if run.report.result.is_ok() { "finished in" } else { "ended after" };
    let code = match module.origin {
        ModuleOrigin::Compiled => "compiled",
        ModuleOrigin::DiskCache => "from the cache",
    };
    [
        format!("{tool} {verb} {}", duration(usage.elapsed)),
        format!("fuel {} of {}", count(usage.fuel), count(limits.fuel_budget)),
        // Rounded down to whole KiB, because the host holds a few bytes besides the guest's pages.
        format!("memory {} of {}", bytes(usage.peak_memory_bytes & !1_023), bytes(limits.max_memory_bytes)),
        counted(usage.host_calls, "host call"),
        format!("egress {}", bytes(usage.egress_bytes)),
        format!("code {code} in {}", duration(module.load_time)),
    ]
    .join(" · ")
}

fn identity(run: &FinishedRun) -> String {
    let module = &run.module;
    let kind = match module.kind {
        ModuleKind::Component => "component",
        ModuleKind::Core => "core module",
    };
    format!("{} · {kind} of {} · sha256 {}", run.run_id(), bytes(module.bytes as u64), module.sha256)
}

fn replay_lines(run: &FinishedRun, verdict: &ReplayVerdict) -> String {
    let tape = &run.report.tape;
    let outcome = &tape.end.outcome;
    let judged = match verdict {
        ReplayVerdict::Diverged(_) => return String::new(),
        ReplayVerdict::Identical if outcome == "ok" => "identical to the tape".to_owned(),
        ReplayVerdict::Identical => format!("identical to the tape, which ends with `{outcome}`"),
        ReplayVerdict::SamePrefix => format!(
            "identical up to the point where the recorded run was ended \
            (`{outcome}`)"
        ),
    };
    let mut text = line(HINT, "replay", &format!("{judged}, {}", counted(tape.steps.len() as u64, "step")));
    if !run.same_engine {
        text.push_str(&line(WARNING, "warning", "the tape is from another engine, so fuel was not compared"));
    }
    if tape.end.open {
        text.push_str(&line(
            WARNING,
            "warning",
            "the run used files, which a tape of version 1 does not have",
        ));
    }
    text
}
