//! Sets of grants as down-sets: intersect pairwise, keep the maximal ones, in order.

/// Something whose authority can be compared and cut.
pub(crate) trait Authority: Clone + Ord {
    /// Whether everything `self` allows, `other` allows too.
    fn is_within(&self, other: &Self) -> bool;
    /// What both allow, or nothing.
    fn meet(&self, other: &Self) -> Option<Self>;
}

/// Sorts, drops duplicates and drops what another element already allows.
pub(crate) fn canonical<A: Authority>(mut items: Vec<A>) -> Vec<A> {
    items.sort();
    items.dedup();
    let all = items.clone();
    items.retain(|item| !all.iter().any(|other| other != item && item.is_within(other)));
    items
}

/// What both sets allow.
pub(crate) fn intersect<A: Authority>(left: &[A], right: &[A]) -> Vec<A> {
    canonical(left.iter().flat_map(|a| right.iter().filter_map(|b| a.meet(b))).collect())
}

/// Whether every element of `inner` is allowed by some element of `outer`.
pub(crate) fn is_within<A: Authority>(inner: &[A], outer: &[A]) -> bool {
    inner.iter().all(|a| outer.iter().any(|b| a.is_within(b)))
}
