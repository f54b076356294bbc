//! Accessors for the stores of the open state.

use std::sync::Arc;

use palyra_journal::JournalStore;
use palyra_state::{
    ApprovalStore, Authorizer, ChannelStore, DeliveryStore, HookStore, ModelStore, RunStore, SessionStore,
    SettingStore, SkillStore, TokenStore, TrustStore, VaultStore, View,
};

use super::App;

impl App {
    pub(crate) fn approvals(&self) -> ApprovalStore<'_> {
        self.state.approvals()
    }

    pub(crate) fn authorizer(&self) -> Authorizer {
        self.state.authorizer()
    }

    pub(crate) fn channels(&self) -> ChannelStore<'_> {
        self.state.channels()
    }

    pub(crate) fn deliveries(&self) -> DeliveryStore<'_> {
        self.state.deliveries()
    }

    /// Returns the time for the expiry of tokens, sessions and approvals, which never goes back.
    pub(crate) fn expiry_now_ms(&self) -> u64 {
        self.state.expiry_now_ms()
    }

    pub(crate) fn hooks(&self) -> HookStore<'_> {
        self.state.hooks()
    }

    pub(crate) fn journal(&self) -> &JournalStore {
        self.state.journal()
    }

    pub(crate) fn models(&self) -> ModelStore<'_> {
        self.state.models()
    }

    pub(crate) fn runs(&self) -> RunStore<'_> {
        self.state.runs()
    }

    pub(crate) fn sessions(&self) -> SessionStore<'_> {
        self.state.sessions()
    }

    pub(crate) fn settings(&self) -> SettingStore<'_> {
        self.state.settings()
    }

    pub(crate) fn skills(&self) -> SkillStore<'_> {
        self.state.skills()
    }

    pub(crate) fn tokens(&self) -> TokenStore<'_> {
        self.state.tokens()
    }

    pub(crate) fn trust(&self) -> TrustStore<'_> {
        self.state.trust()
    }

    /// Returns the state as of the last commit, which does not change while the caller holds it.
    pub(crate) fn view(&self) -> Arc<View> {
        self.state.view()
    }

    pub(crate) fn vault(&self) -> VaultStore<'_> {
        self.state.vault_store()
    }
}
