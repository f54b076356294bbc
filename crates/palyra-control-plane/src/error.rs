//! Why a schedule, a routine or an objective is not what it should be.

use palyra_common::ErrorCode;
use palyra_state::StateError;

/// Why something is no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The pattern cannot be read.
    #[error("`{pattern}` is not a cron pattern: {reason}")]
    Cron {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is no length of time.
    #[error("`{0}` is not a length of time")]
    Every(String),
    /// The text is no time.
    #[error("`{0}` is not a time")]
    At(String),
    /// There is no such zone.
    #[error("there is no time zone `{0}`")]
    TimeZone(String),
    /// The text is no span of hours.
    #[error("`{0}` is not a span of hours")]
    Quiet(String),
    /// A number is too small or too large.
    #[error("`{field}` is from {least} to {most}")]
    Range {
        /// Which.
        field: &'static str,
        /// The least.
        least: String,
        /// The most.
        most: String,
    },
    /// Nothing would ever happen.
    #[error("this never fires")]
    Never,
}

/// Why a routine or an objective is not kept, changed or found.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ControlError {
    /// The name is not one.
    #[error("`{name}` is not a name for {kind}")]
    BadName {
        /// `a routine` or `an objective`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// There is one of that name.
    #[error("there is already {kind} `{name}`")]
    Taken {
        /// `a routine` or `an objective`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// There is none of that name.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// `routine` or `objective`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// There are too many.
    #[error("there are already {most} {kind}")]
    TooMany {
        /// `routines` or `objectives`.
        kind: &'static str,
        /// The most.
        most: usize,
    },
    /// What every state has cannot be removed.
    #[error("`{name}` is built in and cannot be removed")]
    BuiltIn {
        /// The routine.
        name: String,
    },
    /// A built-in routine does what it does.
    #[error("`{name}` is built in: it has a schedule, and no tool, input, objective or approval of its own")]
    NotForBuiltIn {
        /// The routine.
        name: String,
    },
    /// Something is linked to it.
    #[error("`{name}` is the objective of `{}`", routines.join("`, `"))]
    InUse {
        /// The objective.
        name: String,
        /// What is linked.
        routines: Vec<String>,
    },
    /// Something in it is too long or missing.
    #[error("{0}")]
    Invalid(String),
    /// The schedule.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A stored definition cannot be read by this version.
    #[error("the definition of `{name}` cannot be read: {reason}")]
    Unreadable {
        /// Which.
        name: String,
        /// Why.
        reason: String,
    },
    /// The state itself.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ScheduleError {
    /// What to write instead.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Cron { .. } => {
                "write minute, hour, day, month and weekday, as in `0 9 * * mon-fri`, or `@hourly`, `@daily`, `@weekly`"
            }
            Self::Every(_) => "write it as in `30s`, `15m`, `6h` or `2d`",
            Self::At(_) => "write it as in `2026-12-24T18:00` with `--time-zone`, or `2026-12-24T18:00:00Z`",
            Self::TimeZone(_) => "use a name of the IANA database, as in `Europe/Prague` or `UTC`",
            Self::Quiet(_) => "write it as in `22:00-07:00`",
            Self::Range { .. } => "choose a number between the two",
            Self::Never => "choose a time that comes, outside the quiet hours",
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
            Self::Taken { kind: "a routine", name } => Some(format!(
                "change it with `palyra routines add {name} … --replace`, or choose another name"
            )),
            Self::Taken { name, .. } => {
                Some(format!("choose another name, or remove it with `palyra objectives remove {name}`"))
            }
            Self::TooMany { .. } => Some("remove those that are no longer needed".into()),
            Self::BuiltIn { name } => Some(format!("switch it off with `palyra routines disable {name}`")),
            Self::NotForBuiltIn { name } => {
                Some(format!("as in `palyra routines add {name} --every 6h --replace`"))
            }
            Self::InUse { .. } => Some("remove those routines first, or give them another objective".into()),
            Self::Schedule(error) => Some(error.hint().into()),
            Self::State(error) => error.hint(),
            Self::Unreadable { name, .. } => Some(format!("remove it with `palyra routines remove {name}`")),
            Self::Unknown { .. } | Self::Invalid(_) => None,
        }
    }
}
