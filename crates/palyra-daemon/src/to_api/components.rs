//! Components of a skill.

use palyra_api::skills as api;
use palyra_skills::artifact::sidecars::SbomModule;

convert_fields! {
    SbomModule => api::SkillModule { path, sha256, producers }
}
