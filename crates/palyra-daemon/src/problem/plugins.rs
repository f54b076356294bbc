//! Problems of invalid profiles and settings.

use palyra_api::Problem;
use palyra_state::PluginSettingError;
use serde_json::json;

use super::{ToProblem, closest};

impl ToProblem for PluginSettingError {
    fn to_problem(&self) -> Problem {
        let problem = || Problem::new(self.code(), self.to_string());
        match self {
            Self::Skill(error) => error.to_problem(),
            Self::State(error) => error.to_problem(),
            Self::Bad(bad) => problem().details(json!({ "field": bad.field, "expected": bad.expected })),
            Self::Changed { expected, found } => {
                problem().hints(self.hint()).details(json!({ "expected": expected, "found": found }))
            }
            Self::NoSuchSetting { name, known, .. } => problem()
                .hints(closest(name, known).map(|name| format!("did you mean `{name}`?")))
                .hints(self.hint())
                .details(json!({ "name": name, "known": known })),
        }
    }
}
