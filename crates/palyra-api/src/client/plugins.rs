//! Calls about plugins.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::plugins::{
    BlastRadius, Config, ConfigChange, PluginCheck, PluginGrants, PluginInfo, PluginList, Profile,
    ProfileChange, Removed,
};

impl<T: Transport> Client<T> {
    /// Returns every plugin with the grants of its runs.
    pub async fn plugins(&self) -> Result<PluginList, ClientError> {
        self.get("/v1/plugins").await
    }

    /// Returns one plugin with declared and used capabilities, profile and settings.
    pub async fn plugin(&self, skill_id: &str) -> Result<PluginInfo, ClientError> {
        self.get(&path(skill_id, "")).await
    }

    /// Returns the grants in effect with the verdict of each authority.
    pub async fn plugin_grants(&self, skill_id: &str) -> Result<PluginGrants, ClientError> {
        self.get(&path(skill_id, "/grants")).await
    }

    /// Returns the problems that would prevent runs.
    pub async fn check_plugin(&self, skill_id: &str) -> Result<PluginCheck, ClientError> {
        self.get(&path(skill_id, "/check")).await
    }

    /// Returns every resource that its runs touched.
    pub async fn touched(&self, skill_id: &str) -> Result<BlastRadius, ClientError> {
        self.get(&path(skill_id, "/touched")).await
    }

    /// Returns its profile.
    pub async fn profile(&self, skill_id: &str) -> Result<Profile, ClientError> {
        self.get(&path(skill_id, "/profile")).await
    }

    /// Changes the profile of a skill.
    pub async fn set_profile(&self, skill_id: &str, change: &ProfileChange) -> Result<Profile, ClientError> {
        self.send(Method::PUT, &path(skill_id, "/profile"), change).await
    }

    /// Removes the profile of a skill.
    pub async fn remove_profile(&self, skill_id: &str) -> Result<Removed, ClientError> {
        self.delete(&path(skill_id, "/profile")).await
    }

    /// Returns its settings.
    pub async fn config(&self, skill_id: &str) -> Result<Config, ClientError> {
        self.get(&path(skill_id, "/config")).await
    }

    /// Changes the settings of a skill.
    pub async fn set_config(&self, skill_id: &str, change: &ConfigChange) -> Result<Config, ClientError> {
        self.send(Method::PUT, &path(skill_id, "/config"), change).await
    }

    /// Removes all settings of a skill.
    pub async fn remove_config(&self, skill_id: &str) -> Result<Removed, ClientError> {
        self.delete(&path(skill_id, "/config")).await
    }

    /// Returns the grants that runs used, and those that a profile could remove.
    pub async fn shrink_plan(&self, skill_id: &str) -> Result<crate::plugins::ShrinkPlan, ClientError> {
        self.get(&format!("/v1/plugins/{}/shrink", segment(skill_id))).await
    }

    /// Applies a plan that narrows the profile.
    pub async fn shrink(
        &self,
        skill_id: &str,
        request: &crate::plugins::ShrinkRequest,
    ) -> Result<crate::plugins::Profile, ClientError> {
        self.send(Method::POST, &format!("/v1/plugins/{}/shrink", segment(skill_id)), request).await
    }
}

fn path(skill_id: &str, rest: &str) -> String {
    format!("/v1/plugins/{}{rest}", segment(skill_id))
}
