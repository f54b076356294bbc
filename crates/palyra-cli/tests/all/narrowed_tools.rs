//! A tool with fewer permissions than its skill, in the output of commands.

use crate::skill_bench::{SkillBench, example};

#[test]
fn tool_that_reads_only_needs_another_release_to_write() {
    let bench = SkillBench::new();
    let reads = "capabilities = { storage_read_prefixes = [\"counter/\"] }\nexamples =";
    let manifest = example("counter-wat").replace("examples =", reads);
    bench.install(&bench.package("counter", &manifest, "counter-wat"), &[]);
    let denied = bench.palyra(&["run", "palyra.counter_wat.add", "--json"]).error();
    assert_eq!(denied["code"], "capability_denied", "{denied}");
    let hint = denied["hints"][0].as_str().unwrap();
    assert!(hint.starts_with("no setting can allow it: install a release whose"), "{hint}");
    let shown = bench.ok(&["plugins", "grants", "palyra.counter_wat"]).shown();
    assert!(shown.contains("tool palyra.counter_wat.add\n  gets only  storage-read:counter/"), "{shown}");
    let shown = bench.ok(&["tools", "show", "palyra.counter_wat.add"]).shown();
    assert!(shown.contains("storage-read:counter/; changes nothing"), "{shown}");
}
