//! A resolver with fixed answers.

use crate::resolve::Resolver;
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;

/// Answers from a list and counts the lookups of each name.
///
/// Names that are not in the list do not exist.
#[derive(Debug, Default)]
pub struct FixedResolver {
    names: Mutex<HashMap<String, Name>>,
}

#[derive(Debug, Default)]
struct Name {
    answers: Vec<Vec<IpAddr>>,
    silent: bool,
    lookups: usize,
}

impl FixedResolver {
    /// Creates a resolver without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Always answers `host` with these addresses.
    pub fn with(self, host: &str, addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        self.with_sequence(host, [addresses.into_iter().collect()])
    }

    /// Answers successive lookups of `host` with these lists, and later ones with the last list.
    pub fn with_sequence(self, host: &str, answers: impl IntoIterator<Item = Vec<IpAddr>>) -> Self {
        self.edit(host, |name| name.answers = answers.into_iter().collect());
        self
    }

    /// Never answers a lookup of `host`.
    pub fn with_silence(self, host: &str) -> Self {
        self.edit(host, |name| name.silent = true);
        self
    }

    /// Returns how often `host` was looked up.
    pub fn lookups(&self, host: &str) -> usize {
        self.edit(host, |name| name.lookups)
    }

    fn edit<T>(&self, host: &str, change: impl FnOnce(&mut Name) -> T) -> T {
        let mut names = self.names.lock();
        change(names.entry(host.to_owned()).or_default())
    }
}

#[async_trait]
impl Resolver for FixedResolver {
    async fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<IpAddr>> {
        let answer = self.edit(host, |name| {
            let answer = name.answers.get(name.lookups).or(name.answers.last()).cloned();
            name.lookups += 1;
            if name.silent { None } else { Some(answer) }
        });
        match answer {
            None => std::future::pending().await,
            Some(answer) => answer.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such name")),
        }
    }
}
