//! A literal implementation of RFC 6962 section 2.1, which shares no code with the crate.

use sha2::{Digest, Sha256};

pub(crate) type Hash = [u8; 32];

fn sha(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().into()
}

fn largest_power_below(n: usize) -> usize {
    let mut k = 1;
    while k * 2 < n {
        k *= 2;
    }
    k
}

/// The root as defined by RFC 6962: MTH(D[n]).
pub(crate) fn root(leaves: &[Vec<u8>]) -> Hash {
    match leaves {
        [] => sha(&[]),
        [leaf] => sha(&[&[0], leaf]),
        _ => {
            let k = largest_power_below(leaves.len());
            sha(&[&[1], &root(&leaves[..k]), &root(&leaves[k..])])
        }
    }
}

/// The inclusion proof as defined by RFC 6962: PATH(m, D[n]).
pub(crate) fn path(m: usize, leaves: &[Vec<u8>]) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = largest_power_below(leaves.len());
    let (mut path, sibling) = if m < k {
        (path(m, &leaves[..k]), root(&leaves[k..]))
    } else {
        (path(m - k, &leaves[k..]), root(&leaves[..k]))
    };
    path.push(sibling);
    path
}

/// The consistency proof as defined by RFC 6962: PROOF(m, D[n]).
pub(crate) fn proof(m: usize, leaves: &[Vec<u8>]) -> Vec<Hash> {
    subproof(m, leaves, true)
}

fn subproof(m: usize, leaves: &[Vec<u8>], complete: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return if complete { Vec::new() } else { vec![root(leaves)] };
    }
    let k = largest_power_below(leaves.len());
    let (mut path, sibling) = if m <= k {
        (subproof(m, &leaves[..k], complete), root(&leaves[k..]))
    } else {
        (subproof(m - k, &leaves[k..], false), root(&leaves[..k]))
    };
    path.push(sibling);
    path
}

/// The eight leaves and nine roots that implementations of Certificate Transparency test with.
pub(crate) fn known_leaves() -> Vec<Vec<u8>> {
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
        .iter()
        .map(|text| hex::decode(text).unwrap())
        .collect()
}

pub(crate) const KNOWN_ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
