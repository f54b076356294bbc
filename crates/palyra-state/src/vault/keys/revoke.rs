//! Revoking a key that is known or feared to be in other hands.

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

/// The key to revoke, and the statement for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokeKey {
    /// The key, by name.
    pub name: String,
    /// Public reason.
    pub reason: String,
    /// The statement for those who trust the publisher.
    pub statement: Option<RevocationStatement>,
}

/// A statement that tells others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationStatement {
    /// Principal.
    pub publisher: String,
    /// The keys that sign it, by name; none means the key itself.
    pub sign_with: Vec<String>,
    /// Its number; none means the next one known here.
    pub number: Option<u64>,
}

/// A key that was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRevoked {
    /// The key.
    pub info: SigningKeyInfo,
    /// The statement, if requested.
    pub statement: Option<TrustStatement>,
}

impl VaultStore<'_> {
    /// Revokes a key for good: here, in the vault, and in a statement if one is asked for. It may be asked again.
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

    /// Signs the statement and applies it here. One that was applied before is returned again, byte for byte, because
    /// the key that signed it may be revoked by it.
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

    /// The number of the publisher's list that revoked this key here, and the reason it gave.
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

    /// A publisher need not trust itself on the machine that keeps its keys.
    fn apply_where_known(&self, statement: &TrustStatement, by: &str) -> Result<(), StateError> {
        match self.state.trust().apply_statement(statement, by) {
            Ok(_) | Err(StateError::Trust(TrustRefused::Feed(FeedError::UnknownIssuer(_)))) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
