//! `palyra policy check`.

use super::rules;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::policy::{PolicyAction, PolicyAnswer, PolicyFace, PolicyKind, PolicyQuestion};
use palyra_common::Scope;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra policy check invoke --on tool:acme.notes.add --as token/ci --scope invoke
  palyra policy check install
  palyra policy check approve --on tool:acme.notes.add --as token/ci --scope approve --asked-by agent";

/// Ask whether somebody would be allowed to do something, and why.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct CheckArgs {
    /// What is asked for: read, invoke, approve, operate, install, promote, grant, trust, vault or admin
    #[arg(value_parser = action)]
    action: PolicyAction,

    /// What it is about: `tool:ID`, `skill:ID` or `publisher:NAME` [default: the daemon]
    #[arg(long, value_name = "WHAT", value_parser = about)]
    on: Option<About>,

    /// Who asks: a kind and a name, as in `token/ci`; kinds are owner, token, mcp, hook, routine and agent
    #[arg(long = "as", value_name = "WHO", default_value = "owner", value_parser = who)]
    who: Who,

    /// What its token may do; the owner has every scope; may be given again
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<Scope>,

    /// How it comes: terminal, command, console, http, grpc, mcp, agent, hook or routine
    #[arg(long, value_name = "DOOR", default_value = "command", value_parser = transport)]
    via: PolicyFace,

    /// For `approve`: who asked for the call [default: the one who decides]
    #[arg(long, value_name = "NAME")]
    asked_by: Option<String>,
}

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum About {
    Tool(String),
    Skill(String),
    Publisher(String),
}

/// A kind and a name.
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
    let question = PolicyQuestion {
        action: args.action,
        kind: args.who.0,
        name: args.who.1.clone(),
        scopes: args.scopes.iter().map(|scope| (*scope).into()).collect(),
        face: args.via,
        tool,
        skill,
        publisher,
        requester: args.asked_by.clone(),
    };
    client::ask(globals, "policy check", async |client| client.check_policy(&question).await).map(Answered)
}

fn action(text: &str) -> Result<PolicyAction, String> {
    word(text, "action", PolicyAction::ALL, PolicyAction::as_str)
}

fn transport(text: &str) -> Result<PolicyFace, String> {
    word(text, "door", PolicyFace::ALL, PolicyFace::as_str)
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
        _ => Err("write it as in `tool:ID`, `skill:ID` or `publisher:NAME`".into()),
    }
}

fn word<T: Copy>(text: &str, what: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().copied().find(|one| name(*one) == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        format!("there is no such {what}: choose from {}", names.join(", "))
    })
}

impl Reply for Answered {
    const SCHEMA: &'static str = "palyra.policy.check/v1";

    fn data(&self) -> String {
        let allowed = if self.0.allowed { "yes" } else { "no" };
        let summary = facts(&[("allowed", allowed.to_owned()), ("why", self.0.reason.clone())]);
        if self.0.rules.is_empty() { summary } else { format!("{summary}\n{}", rules(&self.0.rules)) }
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
