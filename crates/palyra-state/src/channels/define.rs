//! Defines and removes channels: a sealed row, and a leaf for every change.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_journal::EventKind;
use serde_json::json;

use super::{ChannelKind, ChannelRecord, ChannelStore};
use crate::DefinitionError;
use crate::commit::Change;
use crate::plugins::{check_outside, put_channels};
use crate::state::Gate;
use crate::text::short_name;

/// Maximum number of channels.
const MAX_CHANNELS: usize = 64;

impl ChannelStore<'_> {
    /// Returns the channels by name.
    pub fn list(&self) -> Arc<BTreeMap<String, ChannelRecord>> {
        Arc::clone(&self.state.view().plugins().channels)
    }

    /// Returns one channel, or [`DefinitionError::Unknown`] with the names that exist.
    pub fn get(&self, name: &str) -> Result<ChannelRecord, DefinitionError> {
        let channels = self.list();
        channels.get(name).cloned().ok_or_else(|| unknown(&channels, name))
    }

    /// Defines a channel on behalf of a principal. Only messages published after this are delivered.
    pub fn add(
        &self,
        name: &str,
        kind: ChannelKind,
        principal: &str,
    ) -> Result<ChannelRecord, DefinitionError> {
        let since = self.last_message()? + 1;
        let mut record = ChannelRecord { name: name.to_owned(), kind, since };
        record.check()?;
        if let ChannelKind::File { path } = &mut record.kind {
            // Links are resolved once, here: a delivery follows none, so a link created later cannot redirect it.
            if let Some((folder, file)) = path.parent().zip(path.file_name())
                && let Ok(folder) = folder.canonicalize()
            {
                *path = folder.join(file);
            }
            let folder = path.parent().unwrap_or(path.as_path());
            check_outside(&self.state.root, folder).map_err(|found| DefinitionError::Bad {
                kind: "channel",
                name: record.name.clone(),
                field: "path",
                reason: format!("{found}: choose a directory outside the state root"),
            })?;
        }
        let mut gate = self.state.gate();
        let channels = &gate.view.plugins().channels;
        if channels.contains_key(&record.name) {
            return Err(DefinitionError::Exists { kind: "channel", name: record.name });
        }
        if channels.len() >= MAX_CHANNELS {
            return Err(DefinitionError::TooMany { kind: "channel", most: MAX_CHANNELS });
        }
        let mut changed = (**channels).clone();
        changed.insert(record.name.clone(), record.clone());
        let details = json!({ "added": record.name, "to": record.kind.word() });
        self.keep(&mut gate, &changed, principal, details)?;
        Ok(record)
    }

    /// Removes a channel with its messages, cursor and dead letters; undelivered messages are lost.
    pub fn remove(&self, name: &str, principal: &str) -> Result<ChannelRecord, DefinitionError> {
        let mut gate = self.state.gate();
        let mut changed = (*gate.view.plugins().channels).clone();
        let removed = changed.remove(name).ok_or_else(|| unknown(&gate.view.plugins().channels, name))?;
        self.keep(&mut gate, &changed, principal, json!({ "removed": name }))?;
        drop(gate);
        self.forget(name)?;
        Ok(removed)
    }

    fn keep(
        &self,
        gate: &mut Gate,
        channels: &BTreeMap<String, ChannelRecord>,
        principal: &str,
        details: serde_json::Value,
    ) -> Result<(), DefinitionError> {
        let revision = gate.view.generation() + 1;
        let rows = vec![put_channels(revision, channels)?];
        let event = self.state.event(EventKind::ChannelsChanged, principal).details(details);
        self.state.commit(gate, Change { rows, events: vec![event] })?;
        self.state.published.send_modify(|count| *count += 1);
        Ok(())
    }
}

fn unknown(channels: &BTreeMap<String, ChannelRecord>, name: &str) -> DefinitionError {
    DefinitionError::Unknown {
        kind: "channel",
        name: short_name(name),
        known: channels.keys().cloned().collect(),
    }
}
