//! Errors of schedules, routines and objectives.

use palyra_common::ErrorCode;
use palyra_state::StateError;

/// Why a schedule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ScheduleError {
    /// The cron pattern cannot be parsed.
    #[error("invalid cron pattern `{pattern}`: {reason}")]
    Cron {
        pattern: String,
        /// Message of the parser.
        reason: String,
    },
    /// The text is not a duration.
    #[error("invalid duration `{0}`")]
    Every(String),
    /// The text is not a time.
    #[error("invalid time `{0}`")]
    At(String),
    /// The IANA database has no such zone.
    #[error("unknown time zone `{0}`")]
    TimeZone(String),
    /// The text is not a range of hours.
    #[error("invalid range of hours `{0}`")]
    Quiet(String),
    /// A number is out of range.
    #[error("`{field}` must be {least} to {most}")]
    Range { field: &'static str, least: String, most: String },
    /// The schedule has no due time in the future.
    #[error("the schedule never fires")]
    Never,
}

/// Error of changing or finding a routine or an objective.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ControlError {
    /// The name has an invalid form.
    #[error("invalid {kind} name `{name}`")]
    BadName {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
    },
    /// A routine or objective with this name exists.
    #[error("{kind} `{name}` already exists")]
    Taken {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
    },
    /// No routine or objective has this name.
    #[error("{kind} `{name}` does not exist")]
    Unknown {
        /// `routine` or `objective`.
        kind: &'static str,
        name: String,
        known: Vec<String>,
    },
    /// The maximum number is reached.
    #[error("the limit of {most} {kind} is reached")]
    TooMany {
        /// `routines` or `objectives`.
        kind: &'static str,
        most: usize,
    },
    /// A built-in routine cannot be removed.
    #[error("`{name}` is built in and cannot be removed")]
    BuiltIn { name: String },
    /// The action of a built-in routine cannot be changed.
    #[error("`{name}` is built in: only its schedule can be set, not a tool, input, objective or approval")]
    NotForBuiltIn { name: String },
    /// Routines are charged to the objective.
    #[error("`{name}` is the objective of `{}`", routines.join("`, `"))]
    InUse { name: String, routines: Vec<String> },
    /// A value is missing or too long.
    #[error("{0}")]
    Invalid(String),
    /// The schedule is invalid.
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
    /// Returns an example of a valid value.
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
    /// Returns the error code that every transport reports.
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

    /// Returns the next step for the user, if there is one.
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
