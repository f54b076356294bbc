//! A state root with a signing key, and skills packaged for it.

use crate::environment::{Ran, TestEnvironment};
use serde_json::Value;

/// A home with a state root and the key `release`.
pub(crate) struct SkillBench {
    pub(crate) environment: TestEnvironment,
}

/// Returns the manifest of an example skill.
pub(crate) fn example(name: &str) -> String {
    let path = format!("{}/../../examples/skills/{name}/skill.toml", env!("CARGO_MANIFEST_DIR"));
    // Changes the payload, so that it is not the embedded release, which is trusted.
    std::fs::read_to_string(path).unwrap() + "# packaged by a test\n"
}

/// Returns a guest built from source by `cargo xtask guests`.
pub(crate) fn built_guest(name: &str) -> Vec<u8> {
    let path = format!("{}/../../target/guests/{name}.wasm", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}; run `cargo xtask guests` first"))
}

/// Returns the manifest of the counter with another version.
pub(crate) fn counter(version: &str, release_counter: u32) -> String {
    example("counter-wat")
        .replace("version = \"0.1.0\"\npublisher", &format!("version = \"{version}\"\npublisher"))
        .replace("release_counter = 1", &format!("release_counter = {release_counter}"))
}

impl SkillBench {
    pub(crate) fn new() -> Self {
        let bench = Self { environment: TestEnvironment::new() };
        bench.ok(&["init", "--device-key", "file"]);
        bench.ok(&["keys", "new", "release"]);
        bench
    }

    /// Writes a skill in source form with the module that its manifest names.
    pub(crate) fn source(&self, name: &str, manifest: &str, guest: &str) {
        let modules = self.environment.path(name).join("modules");
        std::fs::create_dir_all(&modules).unwrap();
        std::fs::write(modules.join(format!("{guest}.wasm")), built_guest(guest)).unwrap();
        self.environment.write(&format!("{name}/skill.toml"), manifest);
    }

    /// Builds the signed package `NAME.palyra-skill`.
    pub(crate) fn package(&self, name: &str, manifest: &str, guest: &str) -> String {
        self.build(name, manifest, guest, 0)
    }

    /// Builds a package that the audit quarantines: it is written, and the exit code reports it.
    pub(crate) fn package_with_findings(&self, name: &str, manifest: &str, guest: &str) -> String {
        self.build(name, manifest, guest, 6)
    }

    fn build(&self, name: &str, manifest: &str, guest: &str, code: i32) -> String {
        self.source(name, manifest, guest);
        let file = format!("{name}.palyra-skill");
        let build =
            ["skills", "package", "build", name, "--out", &file, "--signing-key-vault-ref", "release"];
        let built = self.palyra(&build);
        assert_eq!(built.code, code, "{}", built.shown());
        file
    }

    /// Installs a package and consents to its permissions, including secrets.
    pub(crate) fn install(&self, file: &str, secrets: &[&str]) -> Value {
        let first = self.json(&["skills", "install", file, "--allow-tofu"]);
        let id = first["record"]["skill_id"].as_str().unwrap().to_owned();
        self.agree(&id, &first, secrets)
    }

    /// Consents to the permissions in a reply.
    pub(crate) fn agree(&self, id: &str, answer: &Value, secrets: &[&str]) -> Value {
        let digest = answer["consent_digest"].as_str().unwrap();
        let mut arguments = vec!["skills", "consent", id, "--consent", digest];
        for secret in secrets {
            arguments.extend(["--allow-secret", secret]);
        }
        self.json(&arguments)
    }

    pub(crate) fn palyra(&self, arguments: &[&str]) -> Ran {
        self.environment.palyra(arguments)
    }

    pub(crate) fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.palyra(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}\n{}", ran.shown());
        ran
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.palyra(&[arguments, &["--json"]].concat()).judged()
    }
}
