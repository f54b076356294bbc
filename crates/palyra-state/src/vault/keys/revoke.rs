//! Revokes a signing key that is or may be compromised.

use palyra_journal::EventKind;
use palyra_skills::signing::{KeyId, SkillSigningKey};
use palyra_skills::trust::{
    FeedError, FeedIssuer, RevocationList, RevocationSource, RevocationTarget, RevokedKey, SignedRevocations,
    TrustStatement,
};
use palyra_vault::SigningKeyInfo;
use serde_json::json;

use super::{KeysError, public};
use crate::error::{StateError, TrustRefused};
use crate::vault::VaultStore;

/// Request to revoke a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokeKey {
    /// Name of the key.
    pub name: String,
    /// Reason, which is public.
    pub reason: String,
    /// Statement to sign for users who trust the publisher, if requested.
    pub statement: Option<RevocationStatement>,
}

/// Parameters of the signed revocation statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationStatement {
    /// Publisher that issues the statement.
    pub publisher: String,
    /// Names of the keys that sign it; empty for the revoked key itself.
    pub sign_with: Vec<String>,
    /// Number of the list; `None` for the number after the last one known here.
    pub number: Option<u64>,
}

/// Result of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRevoked {
    /// The key in its revoked state.
    pub info: SigningKeyInfo,
    /// The signed statement, if requested.
    pub statement: Option<TrustStatement>,
}

impl VaultStore<'_> {
    /// Revokes a key permanently in the trust store and in the vault, and signs a statement if requested. Can
    /// be repeated.
    pub fn revoke_key(&self, request: &RevokeKey, by: &str) -> Result<KeyRevoked, KeysError> {
        let _desk = self.state.keeper.desk();
        let key_id = public(&self.signing_key(&request.name)?)?.key_id();
        let statement = match &request.statement {
            None => None,
            Some(wanted) => Some(self.tell_others(request, wanted, key_id, by)?),
        };
        self.state.trust().revoke(RevocationTarget::Key(key_id), &request.reason, by)?;
        let info = self.state.vault().keys().revoke(&request.name, self.state.now_ms())?;
        let details = json!({ "name": request.name, "reason": request.reason });
        let event = self.state.event(EventKind::KeysRevoked, by).subject(key_id.to_string());
        self.tell(event.details(details))?;
        Ok(KeyRevoked { info, statement })
    }

    /// Signs the statement and applies it here. A statement that was applied before is returned unchanged,
    /// because the key that signed it may be revoked now.
    fn tell_others(
        &self,
        request: &RevokeKey,
        wanted: &RevocationStatement,
        key_id: KeyId,
        by: &str,
    ) -> Result<TrustStatement, KeysError> {
        let previous = self.previous_revocation(&wanted.publisher, key_id);
        if let Some((number, reason)) =
            previous.filter(|(previous, _)| wanted.number.is_none_or(|n| n == *previous))
        {
            return self.revocation(request, wanted, RevokedKey { key_id, reason }, number);
        }
        let view = self.state.view();
        let last = view.trust().publisher(&wanted.publisher).and_then(|trust| trust.revocations);
        let next = || last.map_or(1, |last| last.number.saturating_add(1));
        let gone = RevokedKey { key_id, reason: request.reason.clone() };
        let statement = self.revocation(request, wanted, gone, wanted.number.unwrap_or_else(next))?;
        self.apply_where_known(&statement, by)?;
        Ok(statement)
    }

    /// Returns the number and the reason of the publisher's list that revoked this key here.
    fn previous_revocation(&self, publisher: &str, key_id: KeyId) -> Option<(u64, String)> {
        let view = self.state.view();
        view.trust().revocations().find_map(|(target, _, revocation)| match &revocation.source {
            RevocationSource::Publisher { publisher: by, number }
                if by == publisher && *target == RevocationTarget::Key(key_id) =>
            {
                Some((*number, revocation.reason.clone()))
            }
            _ => None,
        })
    }

    fn revocation(
        &self,
        request: &RevokeKey,
        wanted: &RevocationStatement,
        gone: RevokedKey,
        number: u64,
    ) -> Result<TrustStatement, KeysError> {
        let itself = [request.name.clone()];
        let names = if wanted.sign_with.is_empty() { &itself[..] } else { &wanted.sign_with };
        let signers: Result<Vec<SkillSigningKey>, KeysError> =
            names.iter().map(|name| self.signer(name).map(|(_, signer)| signer)).collect();
        let list = RevocationList {
            issuer: FeedIssuer::Publisher(wanted.publisher.clone()),
            number,
            keys: vec![gone],
            releases: Vec::new(),
        };
        let signed = SignedRevocations::sign(list, &signers?.iter().collect::<Vec<_>>())?;
        Ok(TrustStatement::Revocations(Box::new(signed)))
    }

    /// Applies the statement, unless this machine does not know the publisher.
    fn apply_where_known(&self, statement: &TrustStatement, by: &str) -> Result<(), StateError> {
        match self.state.trust().apply_statement(statement, by) {
            Ok(_) | Err(StateError::Trust(TrustRefused::Feed(FeedError::UnknownIssuer(_)))) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
