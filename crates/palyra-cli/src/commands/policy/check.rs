//! `palyra policy check`.

use super::rules;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::codes;
use palyra_api::policy::{PolicyAction, PolicyAnswer, PolicyFace, PolicyKind, PolicyQuestion};
use palyra_api::sessions::SessionLabels;
use palyra_common::{ErrorCode, Scope};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra policy check invoke --on tool:acme.notes.add --as token/ci
  palyra policy check install --as token/planned --scope read --scope operate
  palyra policy check approve --on tool:acme.notes.add --as token/ci --asked-by agent
  palyra policy check invoke --on tool:acme.notes.add --as agent --label private --label untrusted";

const MORE: &str = "\
Exits as the request itself would: with 0 if it is allowed, with 4 if it is denied, and with 15 if a person has to
approve the call first.";

/// Check whether a request would be allowed, and by which rule
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct CheckArgs {
    /// Action: read, invoke, approve, operate, install, promote, grant, trust, vault or admin
    #[arg(value_parser = action)]
    action: PolicyAction,

    /// Resource: `tool:ID`, `skill:ID` or `publisher:NAME` [default: the daemon]
    #[arg(long, value_name = "WHAT", value_parser = about)]
    on: Option<About>,

    /// Principal: kind and name, for example `token/ci`; kinds are owner, token, mcp, hook, routine, agent
    #[arg(long = "as", value_name = "WHO", default_value = "owner", value_parser = who)]
    who: Who,

    /// Scope of the principal (repeatable) [default: the scopes the token has]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<Scope>,

    /// Transport: terminal, command, console, http, grpc, mcp, agent, hook or routine
    #[arg(long, value_name = "TRANSPORT", default_value = "command", value_parser = transport)]
    via: PolicyFace,

    /// Requester of the call, for `approve` [default: the principal itself]
    #[arg(long, value_name = "NAME")]
    asked_by: Option<String>,

    /// Label of the session, for `invoke`: private or untrusted (repeatable)
    #[arg(long = "label", value_name = "LABEL", value_parser = ["private", "untrusted"])]
    labels: Vec<String>,

    /// Whether the call can write outside, for `invoke` [default: what the tool's grants allow]
    #[arg(long, value_name = "BOOL")]
    writes_outside: Option<bool>,
}

/// Resource of a policy check.
#[derive(Debug, Clone, PartialEq, Eq)]
enum About {
    Tool(String),
    Skill(String),
    Publisher(String),
}

/// Kind and name of a principal.
type Who = (PolicyKind, String);

#[derive(Serialize)]
pub(super) struct Answered(PolicyAnswer);

pub(super) fn execute(args: &CheckArgs, globals: &Globals) -> Result<Answered, CliError> {
    let (mut tool, mut skill, mut publisher) = (None, None, None);
    match args.on.clone() {
        Some(About::Tool(id)) => tool = Some(id),
        Some(About::Skill(id)) => skill = Some(id),
        Some(About::Publisher(name)) => publisher = Some(name),
        None => {}
    }
    let has = |label: &str| args.labels.iter().any(|given| given == label);
    let question = PolicyQuestion {
        action: args.action,
        kind: args.who.0,
        name: args.who.1.clone(),
        scopes: scopes(&args.scopes),
        face: args.via,
        tool,
        skill,
        publisher,
        requester: args.asked_by.clone(),
        labels: SessionLabels { private: has("private"), untrusted: has("untrusted") },
        writes_outside: args.writes_outside,
    };
    client::ask(globals, "policy check", async |client| client.check_policy(&question).await).map(Answered)
}

/// Returns the given scopes, or `None` to look them up.
fn scopes(given: &[Scope]) -> Option<Vec<Scope>> {
    (!given.is_empty()).then(|| given.to_vec())
}

fn action(text: &str) -> Result<PolicyAction, String> {
    word(text, "action", PolicyAction::ALL, PolicyAction::as_str)
}

fn transport(text: &str) -> Result<PolicyFace, String> {
    word(text, "transport", PolicyFace::ALL, PolicyFace::as_str)
}

fn who(text: &str) -> Result<Who, String> {
    let (kind, name) = text.split_once('/').unwrap_or((text, ""));
    Ok((word(kind, "kind", PolicyKind::ALL, PolicyKind::as_str)?, name.to_owned()))
}

fn about(text: &str) -> Result<About, String> {
    match text.split_once(':') {
        Some(("tool", id)) => Ok(About::Tool(id.to_owned())),
        Some(("skill", id)) => Ok(About::Skill(id.to_owned())),
        Some(("publisher", name)) => Ok(About::Publisher(name.to_owned())),
        _ => Err("write it like `tool:ID`, `skill:ID` or `publisher:NAME`".into()),
    }
}

fn word<T: Copy>(text: &str, what: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|one| name(*one) == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        format!("unknown {what}: choose from {}", names.join(", "))
    })
}

impl Reply for Answered {
    const SCHEMA: &'static str = "palyra.policy.check/v1";

    fn data(&self) -> String {
        let PolicyAnswer { allowed, with_approval, reason, scopes, rules: decisive, .. } = &self.0;
        let verdict = match (allowed, with_approval) {
            (true, _) => "yes",
            (false, true) => "once a person approves",
            (false, false) => "no",
        };
        let scopes: Vec<String> = scopes.iter().map(ToString::to_string).collect();
        let summary =
            facts(&[("allowed", verdict.to_owned()), ("why", reason.clone()), ("scopes", scopes.join(", "))]);
        let permits = if *allowed { "permits" } else { "would permit" };
        if decisive.is_empty() { summary } else { format!("{summary}\n{}", rules(decisive, permits)) }
    }
}

impl Answered {
    /// Returns the exit code of the command: that of the request it checks.
    pub(super) fn exit_code(&self) -> u8 {
        match (self.0.allowed, self.0.with_approval) {
            (true, _) => 0,
            (false, true) => codes::exit_code(ErrorCode::ApprovalRequired),
            (false, false) => codes::exit_code(ErrorCode::Forbidden),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn names_parse_or_list_the_choices() {
        assert_eq!(action("vault").unwrap(), PolicyAction::Vault);
        assert_eq!(who("token/ci").unwrap(), (PolicyKind::Token, "ci".to_owned()));
        assert_eq!(who("owner").unwrap(), (PolicyKind::Owner, String::new()));
        assert_eq!(about("tool:a.b.c").unwrap(), About::Tool("a.b.c".to_owned()));
        assert!(about("a.b.c").is_err() && who("root").is_err());
        assert!(transport("window").unwrap_err().ends_with("agent, hook, routine"));
    }

    #[test]
    fn api_names_equal_wire_names() {
        let wire = |value: serde_json::Value| value.as_str().unwrap().to_owned();
        for word in PolicyAction::ALL {
            assert_eq!(wire(serde_json::json!(word)), word.as_str());
        }
        for word in PolicyKind::ALL {
            assert_eq!(wire(serde_json::json!(word)), word.as_str());
        }
        for word in PolicyFace::ALL {
            assert_eq!(wire(serde_json::json!(word)), word.as_str());
        }
    }
}
