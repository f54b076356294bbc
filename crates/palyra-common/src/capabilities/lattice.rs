//! Sets of grants as down-sets: intersected pairwise, reduced to their maximal elements, sorted.

/// A grant that can be compared and intersected.
pub(crate) trait Authority: Clone + Ord {
    /// Returns whether `other` allows everything that `self` allows.
    fn is_within(&self, other: &Self) -> bool;
    /// Returns the largest grant that both include, or `None` if they have nothing in common.
    fn meet(&self, other: &Self) -> Option<Self>;
}

/// Sorts the items and removes those that another item covers.
pub(crate) fn canonical<A: Authority>(mut items: Vec<A>) -> Vec<A> {
    items.sort();
    items.dedup();
    let all = items.clone();
    items.retain(|item| !all.iter().any(|other| other != item && item.is_within(other)));
    items
}

/// Returns the intersection of two sets, in normal form.
pub(crate) fn intersect<A: Authority>(left: &[A], right: &[A]) -> Vec<A> {
    canonical(left.iter().flat_map(|a| right.iter().filter_map(|b| a.meet(b))).collect())
}

/// Returns whether each element of `inner` is allowed by an element of `outer`.
pub(crate) fn is_within<A: Authority>(inner: &[A], outer: &[A]) -> bool {
    inner.iter().all(|a| outer.iter().any(|b| a.is_within(b)))
}
