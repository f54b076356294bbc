//! Counts the open event streams of each token.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// Maximum number of open streams per token.
const MAX_PER_TOKEN: usize = 16;

/// The number of open streams by principal.
#[derive(Clone, Default)]
pub(crate) struct Streams(Arc<Mutex<HashMap<String, usize>>>);

/// Permit for one open stream, released on drop.
pub(crate) struct StreamPermit {
    streams: Streams,
    of: String,
}

impl Streams {
    /// Returns a permit for another stream, or `None` if the token has too many.
    pub(crate) fn open(&self, of: &str) -> Option<StreamPermit> {
        let mut open = self.0.lock();
        let count = open.entry(of.to_owned()).or_default();
        if *count >= MAX_PER_TOKEN {
            return None;
        }
        *count += 1;
        Some(StreamPermit { streams: self.clone(), of: of.to_owned() })
    }

    /// Returns the number of open streams.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().values().sum()
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.streams.0.lock();
        if let Some(count) = open.get_mut(&self.of) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_so_many_and_gets_them_back() {
        let streams = Streams::default();
        let mut held: Vec<_> = (0..MAX_PER_TOKEN).map(|_| streams.open("a")).collect();
        assert!(held.iter().all(Option::is_some) && streams.open("a").is_none());
        assert!(streams.open("b").is_some());
        held.pop();
        assert!(streams.open("a").is_some());
        drop(held);
        assert_eq!(streams.count(), 0);
    }
}
