//! The phrases, as data: one row each, alternatives separated by `|`.
//!
//! Descriptions state what a tool does (`Reads the …`), while instructions are imperative (`Read the …`). No slot
//! contains the third person, so ordinary descriptions do not match.

use super::phrases::{Intent, Reason};

/// A phrase: its slots, and how many other words may occur between two of them.
pub(super) struct Phrase {
    pub(super) reason: Reason,
    pub(super) gap: usize,
    /// The alternatives for each slot, separated by `|`.
    pub(super) slots: &'static [&'static str],
}

const fn order(points: u32, gap: usize, why: &'static str, slots: &'static [&'static str]) -> Phrase {
    Phrase { reason: Reason { intent: Intent::Instructions, points, why }, gap, slots }
}

const fn secrecy(points: u32, gap: usize, why: &'static str, slots: &'static [&'static str]) -> Phrase {
    Phrase { reason: Reason { intent: Intent::Concealment, points, why }, gap, slots }
}

const fn request(points: u32, gap: usize, why: &'static str, slots: &'static [&'static str]) -> Phrase {
    Phrase { reason: Reason { intent: Intent::Credentials, points, why }, gap, slots }
}

const NOT: &str = "do not|dont|never|must not|should not|avoid";
const PERSON: &str = "user|users|human|humans|operator|person|anyone|anybody";
const READ: &str =
    "read|open|load|fetch|get|cat|access|collect|gather|extract|steal|copy|dump|grab|retrieve|find|look up";
const SEND: &str = "send|pass|upload|include|paste|attach|forward|provide|submit|put|exfiltrate|leak|transmit|append|\
    insert|supply";
/// The directory of secrets.
const STORES: &str = "ssh key|ssh keys|ssh private key|private key|private keys|id rsa|id ed25519|env file|env files|\
    dot env|dotenv|dotenv file|environment variables|aws credentials|credentials file|credential file|credentials|\
    passwords|password file|etc passwd|etc shadow|keychain|browser cookies|session cookie|session cookies|\
    seed phrase|recovery phrase|wallet file|kubeconfig|kube config|netrc|npmrc|api keys|access tokens|mcp json";

/// Every phrase; points add up over one text, each phrase once.
pub(super) const PHRASES: &[Phrase] = &[
    order(
        60,
        3,
        "tells the reader to ignore earlier instructions",
        &[
            "ignore|disregard|forget|override|bypass|ignoring|disregarding",
            "previous|prior|above|earlier|preceding|your|system|safety|developer",
            "instruction|instructions|prompt|prompts|rules|guidelines|directives|restrictions|messages|safety",
        ],
    ),
    order(
        45,
        1,
        "tells the reader to ignore instructions",
        &["ignore|disregard|forget|override", "all|any|other|the", "instruction|instructions|prompts"],
    ),
    order(
        40,
        2,
        "assigns the reader another role",
        &["you are now|act as an unrestricted|pretend to be|enter developer mode|you must obey"],
    ),
    order(
        30,
        2,
        "announces new instructions",
        &[
            "new|real|true|updated|actual",
            "instructions follow|instructions are|system prompt|instruction is",
        ],
    ),
    order(
        20,
        2,
        "says what to do before using a tool",
        &[
            "before|prior to|each time|every time|whenever",
            "using|you use|calling|you call|invoking|any other tool|any tool|answering|responding",
        ],
    ),
    order(
        30,
        2,
        "asks to be called in place of other tools",
        &["always|must|only", "call|use|invoke|run|prefer", "this tool|this one", "first|before|instead"],
    ),
    secrecy(
        60,
        2,
        "tells the reader to hide something from the user",
        &[NOT, "tell|mention|inform|disclose|say|admit", PERSON],
    ),
    secrecy(
        60,
        2,
        "tells the reader not to mention this",
        &[
            "do not|dont|never|must not|should not",
            "mention|disclose|reveal|tell",
            "this step|this instruction|these instructions|this to|that you|it to the user|this fact",
        ],
    ),
    secrecy(
        35,
        2,
        "mentions hiding something from the user",
        &[NOT, "notify|alert|show|ask|reveal|warn", PERSON],
    ),
    secrecy(
        35,
        2,
        "mentions acting without the user's knowledge",
        &["without", "telling|informing|notifying|mentioning|alerting|asking|showing", PERSON],
    ),
    secrecy(
        60,
        2,
        "asks to keep a secret from the user",
        &["keep|hide|conceal", "secret|hidden|confidential|this|it", "from", PERSON],
    ),
    secrecy(30, 1, "mentions secrecy", &["secretly|covertly|in secret|surreptitiously"]),
    request(40, 4, "tells the reader to read credentials or private files", &[READ, STORES]),
    request(40, 4, "tells the reader to hand over credentials or private files", &[SEND, STORES]),
    request(
        60,
        4,
        "tells the reader to hand over the conversation",
        &[
            "send|pass|upload|include|paste|attach|reveal|print|repeat|output|summarize",
            "system prompt|system message|conversation history|chat history|full conversation",
        ],
    ),
    request(
        60,
        2,
        "asks for the contents of a private file",
        &["content|contents|text|value|values|body", "of", STORES],
    ),
    request(60, 0, "asks for the contents of a private file", &[STORES, "content|contents|body"]),
    request(
        30,
        1,
        "says where to put the data",
        &[
            "pass|send|include|put|supply|paste|provide|submit",
            "it|its|them|their|this|that|everything",
            "as|in|into|to|content|contents|under|with",
        ],
    ),
    request(
        25,
        0,
        "names a file that contains secrets",
        &["ssh id rsa|ssh id ed25519|etc shadow|etc passwd|aws credentials|cursor mcp json|gnupg"],
    ),
];

/// Words that count as a request if they are the whole text, as the name of a parameter is.
pub(super) const PARAMETER_NAMES: &str = "password|passwords|private key|ssh key|api key|secret key|access token|\
    credentials|seed phrase|env file|environment variables|system prompt|conversation history";
/// The reason reported for such a name.
pub(super) const PARAMETER: Reason =
    Reason { intent: Intent::Credentials, points: 30, why: "is a parameter named after a secret" };

/// Phrases that are found even when every separator is misplaced.
pub(super) const JOINED: &[(&str, Reason)] = &[
    (
        "ignore previous instructions|ignore all previous instructions|ignore the previous instructions|\
         disregard previous instructions|disregard all previous|forget previous instructions|forget all previous",
        Reason {
            intent: Intent::Instructions,
            points: 60,
            why: "tells the reader to ignore earlier instructions",
        },
    ),
    (
        "do not tell the user|do not mention this to the user|without telling the user",
        Reason {
            intent: Intent::Concealment,
            points: 60,
            why: "tells the reader to hide something from the user",
        },
    ),
];
