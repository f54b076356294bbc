//! The list of published packages with WebAssembly. Tests download them; they are never stored in this project.

/// Program that fetches a package.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    Cargo,
    Npm,
}

/// One published package.
pub(super) struct Package {
    pub(super) client: Client,
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// SHA-256 of the published archive.
    pub(super) sha256: &'static str,
}

impl Package {
    /// Returns the name of its directory, and of its archive without the extension.
    pub(super) fn label(&self) -> String {
        format!("{}-{}", self.name.trim_start_matches('@').replace('/', "-"), self.version)
    }

    /// Returns the file name of its archive.
    pub(super) fn archive(&self) -> String {
        let ending = match self.client {
            Client::Cargo => "crate",
            Client::Npm => "tgz",
        };
        format!("{}.{ending}", self.label())
    }
}

const fn cargo(name: &'static str, version: &'static str, sha256: &'static str) -> Package {
    Package { client: Client::Cargo, name, version, sha256 }
}

const fn npm(name: &'static str, version: &'static str, sha256: &'static str) -> Package {
    Package { client: Client::Npm, name, version, sha256 }
}

/// The packages: components first, then core modules.
pub(super) const PACKAGES: &[Package] = &[
    cargo("wac-cli", "0.12.0", "a820b2219b254eea8c1d7ae980501b5db9a475188b65b32fc265dbead9863b14"),
    cargo("golem-wasm-ast", "1.3.1", "fa7faf74990e31887ed5760e252642b12850baf63eb42b13e1b9d0934af39b80"),
    cargo("oci-wasm", "0.6.0", "87689298bd74f0f2675fcac99956a34c31098ca3bdced3d7635e71dc03c5ca21"),
    cargo("wash-lib", "0.33.0", "8a3a527c7f5e47d52933fb6ccac9daee00395533cccde42233f08fec0285a38b"),
    cargo("zellij-utils", "0.45.1", "96b4eecd7f80c83f17e3855ea6e7f721feff7d1bbd916e0a8fb279e0dfbcd34c"),
    cargo("cosmwasm-vm", "2.2.11", "2c26dad3a8a7df7a59671342951cbcc8eb2e797d19e43b8bc141e14de551e28f"),
    npm("@arcjet/analyze-wasm", "1.13.0", "8234f037127513e537e8b0ff784cd189c3b71fd97c36c47d1608e156ba1ae93a"),
    npm("@dprint/dockerfile", "0.6.0", "6189c4e44928626019c25e76ae18d3da5fdf6e52ab08f0cc49113ba8ad14970c"),
    npm("@dprint/json", "0.24.0", "b7a39358a22bd9f3dd4c1e613fd606358d4e2f2df56cc71947d83550e5c7540a"),
    npm("@dprint/markdown", "0.28.1", "4e2765e6dfe9e501476f1a9a22ad5920f366239a60a50a68bf93500351e8270c"),
    npm("@dprint/toml", "0.8.0", "c110376a76e5c946884a77095a49189f5ef3c36f7e8e16b16be92eec805391e9"),
    npm("@dprint/typescript", "0.96.1", "fa0b31757d3c18e30679a1ab581dd8678632fe80276d0aa26025a57e37dd6745"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_the_names_that_the_clients_give() {
        let labels: Vec<_> = [0, 6].map(|index| PACKAGES[index].archive()).to_vec();
        assert_eq!(labels, ["wac-cli-0.12.0.crate", "arcjet-analyze-wasm-1.13.0.tgz"]);
    }
}
