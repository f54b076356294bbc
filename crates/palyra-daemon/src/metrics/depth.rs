//! Cache and queue metrics, read on demand.

use std::sync::atomic::Ordering;

use palyra_common::tally::CacheCount;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::signed;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheLabels {
    cache: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

/// Hits of caches, and lengths of queues.
#[derive(Default)]
pub(super) struct Depth {
    caches: Family<CacheLabels, Counter>,
    queues: Family<QueueLabels, Gauge>,
    bindings: Family<StateLabels, Gauge>,
    dead_letters: Family<QueueLabels, Gauge>,
}

/// Depths of caches and queues at one moment, by name.
#[derive(Debug, Default)]
pub(crate) struct Depths {
    pub(crate) caches: Vec<(&'static str, CacheCount)>,
    pub(crate) queues: Vec<(&'static str, usize)>,
    pub(crate) bindings: Vec<(&'static str, usize)>,
    pub(crate) dead_letters: Vec<(&'static str, usize)>,
}

impl Depth {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("cache_lookups", "Cache lookups by result", self.caches.clone());
        registry.register("queue_depth", "Queue depth", self.queues.clone());
        registry.register("hook_bindings", "Observers by state", self.bindings.clone());
        registry.register("dead_letters", "Dead letters", self.dead_letters.clone());
    }

    pub(super) fn set(&self, now: &Depths) {
        for &(cache, count) in &now.caches {
            for (result, number) in [("hit", count.hits), ("miss", count.misses)] {
                let counter = self.caches.get_or_create(&CacheLabels { cache, result });
                counter.inner().store(number, Ordering::Relaxed);
            }
        }
        for (family, numbers) in [(&self.queues, &now.queues), (&self.dead_letters, &now.dead_letters)] {
            for &(queue, number) in numbers {
                family.get_or_create(&QueueLabels { queue }).set(signed(number as u64));
            }
        }
        for &(state, number) in &now.bindings {
            self.bindings.get_or_create(&StateLabels { state }).set(signed(number as u64));
        }
    }
}
