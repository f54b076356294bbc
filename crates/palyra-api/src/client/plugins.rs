//! Calls about plugins.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::plugins::{
    BlastRadius, Config, ConfigChange, PluginCheck, PluginGrants, PluginInfo, PluginList, Profile,
    ProfileChange, Removed,
};

impl<T: Transport> Client<T> {
    /// Every plugin with what its runs get.
    pub async fn plugins(&self) -> Result<PluginList, ClientError> {
        self.get("/v1/plugins").await
    }

    /// One plugin: declared against used, its profile and its settings.
    pub async fn plugin(&self, skill_id: &str) -> Result<PluginInfo, ClientError> {
        self.get(&path(skill_id, "")).await
    }

    /// Effective grants, and the decision of each authority.
    pub async fn plugin_grants(&self, skill_id: &str) -> Result<PluginGrants, ClientError> {
        self.get(&path(skill_id, "/grants")).await
    }

    /// What keeps its runs from going well.
    pub async fn check_plugin(&self, skill_id: &str) -> Result<PluginCheck, ClientError> {
        self.get(&path(skill_id, "/check")).await
    }

    /// Everything it ever touched.
    pub async fn touched(&self, skill_id: &str) -> Result<BlastRadius, ClientError> {
        self.get(&path(skill_id, "/touched")).await
    }

    /// Its profile.
    pub async fn profile(&self, skill_id: &str) -> Result<Profile, ClientError> {
        self.get(&path(skill_id, "/profile")).await
    }

    /// Changes its profile.
    pub async fn set_profile(&self, skill_id: &str, change: &ProfileChange) -> Result<Profile, ClientError> {
        self.send(Method::PUT, &path(skill_id, "/profile"), change).await
    }

    /// Takes its profile away.
    pub async fn remove_profile(&self, skill_id: &str) -> Result<Removed, ClientError> {
        self.delete(&path(skill_id, "/profile")).await
    }

    /// Its settings.
    pub async fn config(&self, skill_id: &str) -> Result<Config, ClientError> {
        self.get(&path(skill_id, "/config")).await
    }

    /// Changes its settings.
    pub async fn set_config(&self, skill_id: &str, change: &ConfigChange) -> Result<Config, ClientError> {
        self.send(Method::PUT, &path(skill_id, "/config"), change).await
    }

    /// Takes every setting away.
    pub async fn remove_config(&self, skill_id: &str) -> Result<Removed, ClientError> {
        self.delete(&path(skill_id, "/config")).await
    }

    /// Which grants runs used, and which a profile could take away.
    pub async fn shrink_plan(&self, skill_id: &str) -> Result<crate::plugins::ShrinkPlan, ClientError> {
        self.get(&format!("/v1/plugins/{}/shrink", segment(skill_id))).await
    }

    /// Sets the profile of a plan.
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
