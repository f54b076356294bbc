//! The open connections of one listener, and which of them is closed in favour of a new one.
//!
//! A connection is anonymous until one of its requests is authenticated. Anonymous connections never take all places:
//! when there are too many of them, one is closed and the new one is served, so that a flood of connections that send
//! nothing, or an incomplete head, cannot exclude other clients. The oldest connection that stopped in the middle of a
//! head is closed, or else the oldest of all, so that a client that sends its head slowly outlasts those that never
//! complete theirs. If authenticated connections take every place, the oldest of a principal that has more than its
//! part is closed.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use tokio::task::AbortHandle;

use crate::transport::connection_state::ConnectionState;

/// One place in this many is reserved for authenticated connections.
const RESERVED_PART: usize = 4;
/// One address may have one in this many of the anonymous places.
const PEER_PART: usize = 2;
/// One principal may have one place in this many when all places are taken.
const PRINCIPAL_PART: usize = 2;

/// The open connections of one listener, oldest first.
pub(super) struct ConnectionTable {
    limit: usize,
    open: VecDeque<Connection>,
}

struct Connection {
    peer: Option<IpAddr>,
    state: ConnectionState,
    task: AbortHandle,
}

impl Connection {
    fn is_anonymous(&self) -> bool {
        self.state.principal().is_none()
    }
}

impl ConnectionTable {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, open: VecDeque::new() }
    }

    /// Makes room for one more connection; returns false if no connection can be closed for it.
    pub(super) fn make_place(&mut self, peer: Option<IpAddr>) -> bool {
        self.open.retain(|connection| !connection.task.is_finished());
        let of_peer = |connection: &Connection| peer.is_some() && connection.peer == peer;
        let limit = (self.limit - self.limit / RESERVED_PART).max(1);
        let anonymous = || self.open.iter().filter(|connection| connection.is_anonymous());
        let (all, own) = (anonymous().count(), anonymous().filter(|connection| of_peer(connection)).count());
        if own >= (limit / PEER_PART).max(1) {
            return self.close_anonymous(of_peer);
        }
        if all >= limit || (all > 0 && self.open.len() >= self.limit) {
            return self.close_anonymous(|_| true);
        }
        if self.open.len() < self.limit {
            return true;
        }
        let Some(greedy) = self.greedy_principal() else { return false };
        self.close_oldest(|connection| connection.state.principal() == Some(greedy.as_str()))
    }

    /// Adds a connection.
    pub(super) fn add(&mut self, peer: Option<IpAddr>, state: ConnectionState, task: AbortHandle) {
        self.open.push_back(Connection { peer, state, task });
    }

    /// Returns the principal with the most connections, if these are more than its share.
    fn greedy_principal(&self) -> Option<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for principal in self.open.iter().filter_map(|connection| connection.state.principal()) {
            *counts.entry(principal).or_default() += 1;
        }
        let (principal, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        (count > self.limit / PRINCIPAL_PART).then(|| principal.to_owned())
    }

    /// Closes an anonymous connection among these: the oldest stalled one, or else the oldest.
    fn close_anonymous(&mut self, among: impl Fn(&Connection) -> bool) -> bool {
        let anonymous = |connection: &Connection| connection.is_anonymous() && among(connection);
        self.close_oldest(|connection| anonymous(connection) && connection.state.is_stalled())
            || self.close_oldest(anonymous)
    }

    /// Closes the oldest matching connection; returns false if there is none.
    fn close_oldest(&mut self, among: impl Fn(&Connection) -> bool) -> bool {
        let oldest = self.open.iter().position(among).and_then(|at| self.open.remove(at));
        oldest.is_some_and(|connection| {
            connection.task.abort();
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::task::JoinSet;

    struct Fixture {
        table: ConnectionTable,
        tasks: JoinSet<()>,
        opened: u16,
    }

    impl Fixture {
        fn new(limit: usize) -> Self {
            Self { table: ConnectionTable::new(limit), tasks: JoinSet::new(), opened: 0 }
        }

        /// Opens a connection from a new address.
        fn open(&mut self) -> bool {
            let [high, low] = self.opened.to_be_bytes();
            self.open_from(Some([192, 0, high, low]))
        }

        fn open_from(&mut self, peer: Option<[u8; 4]>) -> bool {
            let peer = peer.map(IpAddr::from);
            let served = self.table.make_place(peer);
            if served {
                let task = self.tasks.spawn(std::future::pending());
                self.table.add(peer, ConnectionState::default(), task);
                self.opened += 1;
            }
            served
        }

        fn authenticate(&self, at: usize, principal: &str) {
            self.table.open[at].state.set_authenticated(principal);
        }

        /// Returns the last byte of each address, oldest first.
        fn peers(&self) -> Vec<u8> {
            let last = |connection: &Connection| match connection.peer {
                Some(IpAddr::V4(address)) => address.octets()[3],
                _ => 0,
            };
            self.table.open.iter().map(last).collect()
        }
    }

    #[tokio::test]
    async fn table_closes_the_oldest_anonymous_connection_for_a_new_one() {
        let mut fixture = Fixture::new(8);
        for _ in 0..6 {
            assert!(fixture.open());
        }
        fixture.authenticate(0, "a");
        fixture.authenticate(2, "b");
        for _ in 0..3 {
            assert!(fixture.open());
        }
        assert_eq!(fixture.peers(), [0, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[tokio::test]
    async fn stalled_connection_yields_before_an_older_silent_one() {
        let mut fixture = Fixture::new(8);
        for _ in 0..6 {
            assert!(fixture.open());
        }
        fixture.table.open[1].state.set_stalled();
        fixture.table.open[1].state.set_head_received();
        fixture.table.open[3].state.set_stalled();
        assert!(fixture.open());
        assert_eq!(fixture.peers(), [0, 1, 2, 4, 5, 6]);
        assert!(fixture.open());
        assert_eq!(fixture.peers(), [1, 2, 4, 5, 6, 7], "without one that stalled, the oldest yields");
    }

    #[tokio::test]
    async fn table_keeps_places_for_authenticated_connections() {
        let mut fixture = Fixture::new(8);
        for _ in 0..20 {
            assert!(fixture.open());
        }
        assert_eq!(fixture.peers(), [14, 15, 16, 17, 18, 19], "two of eight places stay free");
    }

    #[tokio::test]
    async fn one_peer_takes_half_of_the_anonymous_places() {
        let mut fixture = Fixture::new(8);
        assert!(fixture.open_from(Some([192, 0, 2, 1])));
        for _ in 0..10 {
            assert!(fixture.open_from(Some([192, 0, 2, 2])));
        }
        assert_eq!(fixture.peers(), [1, 2, 2, 2]);
        let mut socket = Fixture::new(8);
        for _ in 0..10 {
            assert!(socket.open_from(None));
        }
        assert_eq!(socket.peers().len(), 6, "a Unix socket has no peers");
    }

    #[tokio::test]
    async fn principal_with_most_connections_yields_when_every_place_is_authenticated() {
        let mut fixture = Fixture::new(8);
        for at in 0..8 {
            assert!(fixture.open());
            fixture.authenticate(at, if at % 4 == 3 { "few" } else { "many" });
        }
        assert!(fixture.open());
        assert_eq!(fixture.peers(), [1, 2, 3, 4, 5, 6, 7, 8]);
        fixture.authenticate(7, "few");
        assert!(fixture.open());
        assert_eq!(fixture.peers(), [2, 3, 4, 5, 6, 7, 8, 9]);
        fixture.authenticate(7, "few");
        assert!(!fixture.open(), "both have half of the places");
    }
}
