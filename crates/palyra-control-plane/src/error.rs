//! Why a schedule, a routine or an objective is not what it should be.

use palyra_common::ErrorCode;
use palyra_state::StateError;

/// Why a schedule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ScheduleError {
    /// The pattern cannot be read.
    #[error("invalid cron pattern `{pattern}`: {reason}")]
    Cron {
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is no length of time.
    #[error("invalid duration `{0}`")]
    Every(String),
    /// The text is no time.
    #[error("invalid time `{0}`")]
    At(String),
    /// There is no such zone.
    #[error("unknown time zone `{0}`")]
    TimeZone(String),
    /// The text is no span of hours.
    #[error("invalid range of hours `{0}`")]
    Quiet(String),
    /// A number is too small or too large.
    #[error("`{field}` must be {least} to {most}")]
    Range { field: &'static str, least: String, most: String },
    /// Nothing would ever happen.
    #[error("the schedule never fires")]
    Never,
}

/// Why a routine or an objective is not kept, changed or found.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ControlError {
    /// The name is not one.
    #[error("invalid {kind} name `{name}`")]
    BadName {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
    },
    /// There is one of that name.
    #[error("{kind} `{name}` already exists")]
    Taken {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
    },
    /// There is none of that name.
    #[error("{kind} `{name}` does not exist")]
    Unknown {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
        known: Vec<String>,
    },
    /// There are too many.
    #[error("the limit of {most} {kind} is reached")]
    TooMany {
        /// `routines` or `objectives`.
        kind: &'static str,
        most: usize,
    },
    /// What every state has cannot be removed.
    #[error("`{name}` is built in and cannot be removed")]
    BuiltIn { name: String },
    /// A built-in routine does what it does.
    #[error("`{name}` is built in: only its schedule can be set, not a tool, input, objective or approval")]
    NotForBuiltIn { name: String },
    /// Something is linked to it.
    #[error("`{name}` is the objective of `{}`", routines.join("`, `"))]
    InUse { name: String, routines: Vec<String> },
    /// Something in it is too long or missing.
    #[error("{0}")]
    Invalid(String),
    /// The schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A stored definition cannot be read by this version.
    #[error("cannot read the definition of `{name}`: {reason}")]
    Unreadable { name: String, reason: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ScheduleError {
    /// What to write instead.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Cron { .. } => {
                "write minute, hour, day, month and weekday, for example `0 9 * * mon-fri`, or `@hourly`, \
                `@daily`, `@weekly`"
            }
            Self::Every(_) => "use a form such as `30s`, `15m`, `6h` or `2d`",
            Self::At(_) => {
                "use a form such as `2026-12-24T18:00` with `--time-zone`, or \
                `2026-12-24T18:00:00Z`"
            }
            Self::TimeZone(_) => "use a name of the IANA database such as `Europe/Prague` or `UTC`",
            Self::Quiet(_) => "use a form such as `22:00-07:00`",
            Self::Range { .. } => "choose a number in this range",
            Self::Never => "choose a time in the future, outside the quiet hours",
        }
    }
}

impl ControlError {
    /// The word of this error on every face.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::BadName { .. } | Self::Invalid(_) | Self::Schedule(_) | Self::NotForBuiltIn { .. } => {
                ErrorCode::Usage
            }
            Self::Taken { .. } | Self::TooMany { .. } => ErrorCode::AlreadyExists,
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::BuiltIn { .. } | Self::InUse { .. } => ErrorCode::InUse,
            Self::Unreadable { .. } => ErrorCode::StateDamaged,
            Self::State(error) => error.code(),
        }
    }

    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::BadName { .. } => Some("use up to 40 lower-case letters, digits, `-` and `_`".into()),
            Self::Taken { kind: "routine", name } => Some(format!(
                "change it with `palyra routines add {name} … --replace`, or choose another name"
            )),
            Self::Taken { name, .. } => {
                Some(format!("choose another name, or remove it with `palyra objectives remove {name}`"))
            }
            Self::TooMany { .. } => Some("remove some that are no longer needed".into()),
            Self::BuiltIn { name } => Some(format!("disable it with `palyra routines disable {name}`")),
            Self::NotForBuiltIn { name } => {
                Some(format!("use `palyra routines add {name} --every 6h --replace`"))
            }
            Self::InUse { .. } => {
                Some("remove these routines first, or set another objective for them".into())
            }
            Self::Schedule(error) => Some(error.hint().into()),
            Self::State(error) => error.hint(),
            Self::Unreadable { name, .. } => Some(format!("remove it with `palyra routines remove {name}`")),
            Self::Unknown { .. } | Self::Invalid(_) => None,
        }
    }
}
