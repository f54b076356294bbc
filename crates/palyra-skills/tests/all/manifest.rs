//! Tests of the errors of `parse_manifest_toml`.

use palyra_skills::compat::{CompatRefusal, Platform, check_compat};
use palyra_skills::manifest::{ManifestError, ManifestProblem, manifest_problems, parse_manifest_toml};

use crate::corpus::manifest_with;

#[track_caller]
fn refused(text: &str) -> ManifestError {
    crate::seeds::keep_of_row("m", "skill_manifest", text.as_bytes());
    match parse_manifest_toml(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => {
            assert!(manifest_problems(text).contains(&error), "{error}");
            assert!(!error.expected().is_empty() && error.line() >= 1 && error.column() >= 1);
            error
        }
    }
}

/// Replaces one line of the plain manifest.
fn with_line(key: &str, line: &str) -> String {
    let plain = manifest_with("", "");
    let lines: Vec<&str> = plain.lines().map(|old| if old.starts_with(key) { line } else { old }).collect();
    assert!(lines.contains(&line), "no line starts with {key}");
    lines.join("\n")
}

fn capabilities(lines: &str) -> String {
    manifest_with("", &format!("[capabilities]\n{lines}"))
}

#[test]
fn an_error_shows_the_line_the_expectation_and_the_fix() {
    let text = with_line("description", "descripton = \"Keeps short notes.\"");
    insta::assert_snapshot!(refused(&text).render(), @r#"
    skill.toml:16:1: unknown key `descripton`, in `entrypoints.tools[0]`
       |
    16 | descripton = "Keeps short notes."
       | ^^^^^^^^^^
       = expected: one of `id`, `name`, `description`, `input_schema`, `output_schema`, `module`, `export`, `risk`, `capabilities`, `returns`, `examples`
       = fix: did you mean `description`?
    "#);
    insta::assert_snapshot!(refused(&with_line("version", "version = 12")).render(), @"
    skill.toml:4:11: found the number `12`, in `version`
      |
    4 | version = 12
      |           ^^
      = expected: a string
    ");
    insta::assert_snapshot!(refused(&with_line("publisher", "")).render(), @"
    skill.toml:1:1: missing key `publisher`
      |
    1 | manifest_version = 1
      | ^
      = expected: `publisher = …`
      = fix: add `publisher`
    ");
    insta::assert_snapshot!(refused(&capabilities("http_egress_allowlist = [\"ok.example\", \"*.example.com\"]")).render(), @r#"
    skill.toml:22:40: found `*.example.com`, in `capabilities.http_egress_allowlist[1]`
       |
    22 | http_egress_allowlist = ["ok.example", "*.example.com"]
       |                                        ^^^^^^^^^^^^^^^
       = expected: a host without a wildcard
       = fix: list the hosts, or set `wildcard_opt_in = true` under `[capabilities]`
    "#);
    insta::assert_snapshot!(refused(&with_line("name = \"Run\"", "name = \"Run\"\nname = \"Twice\"")).render(), @r#"
    skill.toml:16:1: invalid TOML: duplicate key
       |
    16 | name = "Twice"
       | ^^^^
       = expected: a TOML document without duplicate keys
    "#);
}

/// Each problem as `line: path`.
fn places(text: &str) -> Vec<String> {
    let problems = manifest_problems(text);
    problems.iter().map(|problem| format!("{}: {}", problem.line(), problem.path())).collect()
}

#[test]
fn every_problem_of_one_kind_is_found_at_its_own_line() {
    assert!(manifest_problems(&manifest_with("", "")).is_empty());
    let counter = manifest_with("", "").replace("release_counter = 1", "release_counter = \"1\"");
    assert_eq!(manifest_problems(&counter)[0].expected(), "a whole number");
    let form = manifest_with("", "[capabilities]\nstorage_prefixes = \"notes/\"\nsecret = []")
        .replace("release_counter = 1", "release_counter = \"one\"")
        .replace("description = \"Keeps", "descripton = \"Keeps");
    let form: Vec<&str> = form.lines().filter(|line| !line.starts_with("publisher")).collect();
    insta::assert_snapshot!(places(&form.join("\n")).join("\n"));
    let rules = manifest_with(
        "",
        "[capabilities]\nstorage_prefixes = [\"/\"]\nhttp_egress_allowlist = [\"*.x.example\"]",
    )
    .replace("release_counter = 1", "release_counter = 0")
    .replace("skill_id = \"acme", "skill_id = \"globex");
    insta::assert_snapshot!(places(&rules).join("\n"));
}

#[test]
fn m01_a_skill_id_or_tool_id_of_another_publisher_is_refused() {
    let error = refused(&with_line("skill_id", "skill_id = \"globex.notes\""));
    assert_eq!(error.path(), "skill_id");
    assert_eq!(error.hint().as_deref(), Some("start it with `acme.`"));
    for id in ["acme", "acme.", "acme.Notes", "acme.a.b", "acme._x", "acme.x-", "acmenotes", "acme.é"] {
        assert_eq!(
            refused(&with_line("skill_id", &format!("skill_id = \"{id}\""))).path(),
            "skill_id",
            "{id}"
        );
    }
    for id in
        ["globex.notes.add", "acme", "acmex.add", "acme.Add", "acme.a-b", &format!("acme.{}", "x".repeat(56))]
    {
        let error = refused(&with_line("id = ", &format!("id = \"{id}\"")));
        assert_eq!(error.path(), "entrypoints.tools[0].id", "{id}");
    }
    for publisher in ["Acme", "acme__labs", "acme.labs", ""] {
        refused(&with_line("publisher", &format!("publisher = \"{publisher}\"")));
    }
}

#[test]
fn m02_versions_are_strict_and_have_no_build_metadata() {
    for version in ["+1.0.0", "01.0.0", "1.0", "1.0.0+x", "v1.0.0", " 1.0.0", "1.0.0-", "1.0.0.0", ""] {
        let error = refused(&with_line("version", &format!("version = \"{version}\"")));
        assert_eq!(error.path(), "version", "{version}");
        assert!(error.expected().contains("1.2.3"), "{version}");
    }
    parse_manifest_toml(&with_line("version", "version = \"1.0.0-rc.1\"")).unwrap();
    for counter in ["0", "-1", "9007199254740992", "18446744073709551615", "99999999999999999999999"] {
        let error = refused(&with_line("release_counter", &format!("release_counter = {counter}")));
        assert_eq!(error.path(), "release_counter", "{counter}");
    }
}

#[test]
fn version_error_names_the_line_of_the_version() {
    for (key, value) in [("version", "1.0"), ("min_palyra_version", "1"), ("version", "1.0.0+build")] {
        let text = with_line(key, &format!("{key} = \"{value}\""));
        let expected = text.lines().position(|line| line.starts_with(key)).unwrap() + 1;
        let error = refused(&text);
        assert_eq!((error.line(), error.column()), (expected, key.len() + 4), "{error}");
    }
}

#[test]
fn m03_unknown_and_duplicate_keys_are_refused_everywhere() {
    for (root, tables, path) in [
        ("colour = 1", "", ""),
        ("", "[compatible]", ""),
        ("", "[entrypoints.gadgets]", "entrypoints"),
        ("", "[capabilities]\nhttp = []", "capabilities"),
        ("", "[capabilities.filesystem]\nroots = []", "capabilities.filesystem"),
        ("", "[[capabilities.http_rules]]\nhost = \"a.example\"\nverbs = []", "capabilities.http_rules[0]"),
        ("", "[[capabilities.secrets]]\nscope = \"global\"\nkeys = []", "capabilities.secrets[0]"),
        ("", "[capabilities.quotas]\nfuel = 5", "capabilities.quotas.fuel"),
        ("", "[operator.config.a]\ntype = \"string\"\nvalue = 1", "operator.config.a"),
        ("", "[operator]\nsettings = 1", "operator"),
    ] {
        let error = refused(&manifest_with(root, tables));
        assert!(matches!(error.problem(), ManifestProblem::UnknownKey { .. }), "{root}{tables}: {error}");
        assert_eq!(error.path(), path);
    }
    let error = refused(&manifest_with("", "risk = { requires_aproval = true }"));
    assert!(error.hint().unwrap().contains("`requires_approval`"));
    for text in [
        with_line("skill_id", "skill_id = \"acme.notes\"\nskill_id = \"acme.other\""),
        manifest_with("", "[compat]\nrequired_protocol_major = 2"),
        manifest_with("", "risk = { requires_approval = true, requires_approval = false }"),
    ] {
        assert!(matches!(refused(&text).problem(), ManifestProblem::Toml { .. }));
    }
}

#[test]
fn m03_deep_nesting_neither_overflows_nor_hangs() {
    for hostile in [
        format!("tags = {}", "[".repeat(20_000)),
        format!("tags = {}{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("tags = {}", "{a=".repeat(20_000)),
        format!("{}a = 1", "a.".repeat(20_000)),
        format!("x = {{{}a = 1}}", "a.".repeat(20_000)),
    ] {
        let error = refused(&manifest_with(&hostile, ""));
        assert_eq!(error.problem(), &ManifestProblem::TooDeep);
        assert!(error.render().len() < 2_000);
    }
    refused(&manifest_with("", &format!("[{}a]", "a.".repeat(400_000))));
    let error = refused(&"#".repeat((1 << 20) + 1));
    assert!(matches!(error.problem(), ManifestProblem::TooLarge { .. }));
}

#[test]
fn m05_m06_m07_text_that_cannot_be_seen_is_refused_in_the_file_and_behind_escapes() {
    for hidden in ['\u{202E}', '\u{E0041}', '\u{200B}', '\u{E000}'] {
        let plain = with_line("description", &format!("description = \"Keeps{hidden} notes\""));
        let escaped =
            with_line("description", &format!("description = \"Keeps\\U{:08X} notes\"", hidden as u32));
        let in_a_comment = manifest_with(&format!("# a{hidden}b"), "");
        let in_a_key = manifest_with("", &format!("examples = [{{ \"a\\U{:08X}\" = 1 }}]", hidden as u32));
        for text in [plain, escaped, in_a_comment, in_a_key] {
            let error = refused(&text);
            assert!(matches!(error.problem(), ManifestProblem::Unicode(_)), "{error}");
            assert!(!error.render().contains(hidden), "{:?}", error.render());
        }
    }
    refused(&with_line("description", "description = \"Cafe\u{301}\""));
}

#[test]
fn m04_ids_are_unique_over_tools_and_hooks_and_for_models() {
    let tool = |id: &str| {
        format!(
            "[[entrypoints.tools]]\nid = \"{id}\"\nname = \"x\"\ndescription = \"x\"\nmodule = \"modules/x.wasm\"\ninput_schema = {{ type = \"object\" }}\noutput_schema = {{}}\n"
        )
    };
    assert_eq!(refused(&manifest_with("", &tool("acme.notes.run"))).path(), "entrypoints.tools[1].id");
    let error = refused(&manifest_with("", &tool("acme.notes__run")));
    assert!(error.hint().unwrap().contains("acme__notes__run"));
    let hook = "[[entrypoints.hooks]]\nid = \"acme.notes.run\"\nmodule = \"modules/x.wasm\"\nevents = [\"run:failed\"]\n";
    assert_eq!(refused(&manifest_with("", hook)).path(), "entrypoints.hooks[0].id");
}

#[test]
fn m10_hosts_that_are_not_what_they_seem_are_refused_and_never_granted() {
    for host in [
        "*",
        "*.com",
        "user@evil.example",
        "xn--80ak6aa92e.com",
        "аpple.com",
        "api.example.com.",
        "127.0.0.1",
        "[::1]",
        "::1",
        "10.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "api.example.com:443",
        "api.example.com:443@evil.example",
        "https://api.example.com",
        "api.example.com/x",
        "a b.example",
        "",
        "a..b",
        "%65vil.example",
    ] {
        for text in [
            capabilities(&format!("wildcard_opt_in = true\nhttp_egress_allowlist = [\"{host}\"]")),
            manifest_with(
                "",
                &format!(
                    "[capabilities]\nwildcard_opt_in = true\n[[capabilities.http_rules]]\nhost = \"{host}\""
                ),
            ),
            manifest_with(
                "",
                &format!(
                    "[capabilities]\nwildcard_opt_in = true\n[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"{host}\"]\ninject = [\"bearer\"]"
                ),
            ),
        ] {
            refused(&text);
        }
    }
    for lines in [
        "http_egress_allowlist = [\"*.example.com\"]",
        "[[capabilities.http_rules]]\nhost = \"*.example.com\"",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"*.example.com\"]\ninject = [\"bearer\"]",
    ] {
        assert!(refused(&capabilities(lines)).hint().unwrap().contains("wildcard_opt_in"));
    }
}

#[test]
fn rules_secrets_and_names_are_read_with_their_grammars() {
    for lines in [
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nscheme = \"ftp\"",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nports = [0]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nports = [65536]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"*\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"get\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"GET,POST\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"CONNECT\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nmethods = [\"GET https://b.example\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\npaths = [\"items\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\npaths = [\"/../x\"]",
        "[[capabilities.http_rules]]\nhost = \"a.example\"\nresponse_bytes = -1",
        "[[capabilities.secrets]]\nscope = \"team\"\nkey_names = [\"a\"]\nreveal = true",
        "[[capabilities.secrets]]\nscope = \"skill:acme.other\"\nkey_names = [\"a\"]\nreveal = true",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = []\nreveal = true",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a/b\"]\nreveal = true",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\", \"a\"]\nreveal = true",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"a.example\"]",
        "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"a.example\"]\ninject = [\"cookie\"]",
        "storage_prefixes = [\"cache\"]",
        "storage_prefixes = [\"../\"]",
        "storage_quota_bytes = 5",
        "channels = [\"Alerts\"]",
        "channels = [\"a\", \"a\"]",
        "device_capabilities = [\"the camera\"]",
        "[capabilities.quotas]\nfuel_budget = 0",
        "[capabilities.quotas]\nfuel_budget = 18446744073709551615",
        "[capabilities.quotas]\nfuel_budget = \"much\"",
    ] {
        let error = refused(&capabilities(lines));
        assert!(error.path().starts_with("capabilities."), "{lines}: {error}");
    }
}

#[test]
fn m11_filesystem_roots_are_logical_names() {
    for root in [".", "..", "/", "/etc", "../up", "a/b", "Docs", "", "~"] {
        for key in ["read_roots", "write_roots"] {
            let error =
                refused(&manifest_with("", &format!("[capabilities.filesystem]\n{key} = [\"{root}\"]")));
            assert_eq!(error.path(), format!("capabilities.filesystem.{key}[0]"));
            assert!(error.hint().unwrap().contains("logical name"));
        }
    }
}

#[test]
fn m13_a_skill_for_another_runtime_is_refused() {
    let manifest = parse_manifest_toml(&with_line(
        "min_palyra_version",
        "min_palyra_version = \"0.2.0\"\nmax_palyra_version = \"0.4.0\"",
    ))
    .unwrap();
    let check = |version: &str, protocol_major| {
        let platform =
            Platform { palyra_version: version.parse().unwrap(), protocol_major, nodes: Default::default() };
        check_compat(&manifest.compat, &platform)
    };
    assert_eq!(check("0.2.0", 1), Ok(()));
    assert_eq!(check("0.4.0", 1), Ok(()));
    assert!(matches!(check("0.1.9", 1), Err(CompatRefusal::TooOld { .. })));
    assert!(matches!(check("0.2.0-rc.1", 1), Err(CompatRefusal::TooOld { .. })));
    assert!(matches!(check("0.4.1", 1), Err(CompatRefusal::TooNew { .. })));
    for (required, refusal) in [(2, check("0.3.0", 2)), (0, check("0.3.0", 0))] {
        assert!(matches!(refusal, Err(CompatRefusal::Protocol { .. })), "{required}");
        assert!(!refusal.unwrap_err().hint().is_empty());
    }
    refused(&with_line(
        "min_palyra_version",
        "min_palyra_version = \"0.2.0\"\nmax_palyra_version = \"0.1.0\"",
    ));
    refused(&with_line("required_protocol_major", "required_protocol_major = 0"));
}

#[test]
fn node_capabilities_are_a_closed_list() {
    for names in
        ["\"os:beos\"", "\"linux\"", "\"cpu\"", "\"os:linux\", \"os:macos\"", "\"net\", \"net\"", "\"\""]
    {
        refused(&capabilities(&format!("node_capabilities = [{names}]")));
    }
    assert!(
        refused(&capabilities("node_capabilities = [\"dispaly\"]")).hint().unwrap().contains("`display`")
    );
}

#[test]
fn hooks_are_bound_to_events_that_exist() {
    let hook = |events: &str| {
        manifest_with(
            "",
            &format!(
                "[[entrypoints.hooks]]\nid = \"acme.x.y\"\nmodule = \"modules/x.wasm\"\nevents = [{events}]"
            ),
        )
    };
    assert!(refused(&hook("\"run:before_tools\"")).hint().unwrap().contains("`run:before_tool`"));
    refused(&hook(""));
    refused(&hook("\"run:failed\", \"run:failed\""));
    parse_manifest_toml(&hook("\"run:failed\"")).unwrap();
}

#[test]
fn modules_are_files_of_the_archive() {
    for module in
        ["notes.wasm", "modules/notes.wat", "modules/../x.wasm", "/modules/x.wasm", "modules/X.wasm"]
    {
        let error = refused(&with_line("module =", &format!("module = \"{module}\"")));
        assert_eq!(error.path(), "entrypoints.tools[0].module");
    }
}

#[test]
fn schemas_and_examples_are_checked() {
    for (key, line) in [
        ("input_schema", "input_schema = { type = \"string\" }"),
        ("input_schema", "input_schema = { type = \"object\", properties = { a = { type = \"text\" } } }"),
        ("input_schema", "input_schema = { type = \"object\", '$ref' = \"https://a.example/schema\" }"),
        ("output_schema", "output_schema = { '$ref' = \"#\" }"),
        ("output_schema", "output_schema = { type = 1979-05-27 }"),
        ("output_schema", "output_schema = { minimum = nan }"),
    ] {
        assert!(
            refused(&with_line(key, line)).path().starts_with(&format!("entrypoints.tools[0].{key}")),
            "{line}"
        );
    }
    let error = refused(&manifest_with("", "examples = [{ text = \"a\" }, { text = 5 }]"));
    assert_eq!(error.path(), "entrypoints.tools[0].examples[1]");
    assert!(error.to_string().contains("/text"), "{error}");
}

#[test]
fn texts_with_deep_and_long_names_are_bounded() {
    let leaves: String = (0..5_000).map(|number| format!("a{number} = 'x', ")).collect();
    let (open, close) = (format!("{{ {} = ", "k".repeat(900)).repeat(40), " }".repeat(40));
    let line =
        format!("output_schema = {{ type = \"object\", x-notes = {open}{{ {leaves} z = 'x' }}{close} }}");
    let error = refused(&with_line("output_schema", &line));
    assert!(error.to_string().contains("text for models"), "{error}");
    assert!(error.render().len() < 4_000, "{}", error.render().len());
}

#[test]
fn settings_have_a_type_and_a_default_of_it() {
    for lines in [
        "type = \"text\"",
        "type = \"integer\"\ndefault = 1.5",
        "type = \"integer\"\ndefault = \"1\"",
        "type = \"boolean\"\ndefault = 1",
        "type = \"secret\"\ndefault = \"x\"",
        "type = \"string\"\ndefault = \"x\"\nrequired = true",
        "description = \"no type\"",
    ] {
        refused(&manifest_with("", &format!("[operator.config.page_size]\n{lines}")));
    }
    refused(&manifest_with("", "[operator.config.\"Page Size\"]\ntype = \"string\""));
}

#[test]
fn a_manifest_without_entrypoints_offers_nothing() {
    let text = manifest_with("", "");
    let head = text.split("[[entrypoints.tools]]").next().unwrap();
    assert!(refused(head).hint().unwrap().contains("entrypoints.tools"));
}

/// Returns a manifest whose tool has this table and whose skill has these capabilities.
fn narrowed(tool: &str, skill: &str) -> String {
    manifest_with("", &format!("[entrypoints.tools.capabilities]\n{tool}\n\n[capabilities]\n{skill}"))
}

#[test]
fn tool_cannot_get_more_than_its_skill_requests() {
    let skill = "storage_prefixes = [\"notes/\"]\nstorage_read_prefixes = [\"archive/\"]";
    insta::assert_snapshot!(refused(&narrowed("storage_prefixes = [\"notes/\", \"archive/\"]", skill)).render(), @r#"
    skill.toml:22:31: found `storage:archive/`, in `entrypoints.tools[0].capabilities.storage_prefixes[1]`
       |
    22 | storage_prefixes = ["notes/", "archive/"]
       |                               ^^^^^^^^^^
       = expected: something that `[capabilities]` of the skill includes
       = fix: a tool can only narrow: request it under `[capabilities]`, or remove it here
    "#);
    let http =
        "[[capabilities.http_rules]]\nhost = \"api.example.com\"\nmethods = [\"GET\"]\nresponse_bytes = 100";
    let secret = "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"api.example.com\"]\ninject = [\"bearer\"]";
    let rest = format!("channels = [\"a\"]\nfilesystem = {{ read_roots = [\"docs\"] }}\n{http}\n{secret}");
    let rule = |rest: &str| format!("http_rules = [{{ host = \"api.example.com\", {rest} }}]");
    for (tool, place) in [
        ("channels = [\"b\"]".to_owned(), "channels[0]"),
        ("filesystem = { write_roots = [\"docs\"] }".to_owned(), "filesystem.write_roots[0]"),
        ("http_egress_allowlist = [\"api.example.com\"]".to_owned(), "http_egress_allowlist[0]"),
        (rule("methods = [\"POST\"]"), "http_rules[0].host"),
        (rule("methods = [\"GET\"], response_bytes = 101"), "http_rules[0].host"),
        (
            "secrets = [{ scope = \"global\", key_names = [\"a\"], reveal = true }]".to_owned(),
            "secrets[0].key_names[0]",
        ),
        ("storage_read_prefixes = [\"notes/\"]".to_owned(), "storage_read_prefixes[0]"),
    ] {
        let error = refused(&narrowed(&tool, &rest));
        assert_eq!(error.path(), format!("entrypoints.tools[0].capabilities.{place}"), "{error}");
    }
    for tool in [
        "",
        "channels = [\"a\"]",
        "filesystem = { read_roots = [\"docs\"] }",
        &rule("methods = [\"GET\"], paths = [\"/items/*\"]"),
        &rule("methods = [\"GET\"], response_bytes = 99"),
    ] {
        let text = narrowed(tool, &rest);
        parse_manifest_toml(&text).unwrap_or_else(|error| panic!("{}", error.render()));
    }
}

#[test]
fn tool_table_has_grants_only_and_their_grammars() {
    let skill = "storage_prefixes = [\"notes/\"]";
    for (tool, path, problem) in [
        (
            "storage_prefixs = [\"notes/\"]",
            "entrypoints.tools[0].capabilities",
            "unknown key `storage_prefixs`",
        ),
        ("quotas = { fuel_budget = 5 }", "entrypoints.tools[0].capabilities", "unknown key `quotas`"),
        ("wildcard_opt_in = true", "entrypoints.tools[0].capabilities", "unknown key `wildcard_opt_in`"),
        (
            "storage_read_prefixes = [\"notes\"]",
            "entrypoints.tools[0].capabilities.storage_read_prefixes[0]",
            "does not end with `/`",
        ),
        (
            "storage_read_prefixes = [\"notes/\", \"notes/\"]",
            "entrypoints.tools[0].capabilities.storage_read_prefixes[1]",
            "found `notes/`",
        ),
        (
            "http_egress_allowlist = [\"*.example.com\"]",
            "entrypoints.tools[0].capabilities.http_egress_allowlist[0]",
            "found `*.example.com`",
        ),
    ] {
        let error = refused(&narrowed(tool, skill));
        assert_eq!(error.path(), path, "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn keys_of_a_later_palyra_need_its_version() {
    for text in [narrowed("", "channels = [\"a\"]"), capabilities("storage_read_prefixes = [\"a/\"]")] {
        assert!(parse_manifest_toml(&text).is_ok());
        let early = text.replace("min_palyra_version = \"0.1.0\"", "min_palyra_version = \"0.0.9\"");
        let error = refused(&early);
        assert_eq!(error.path(), "compat.min_palyra_version");
        assert!(error.hint().unwrap().contains("min_palyra_version = \"0.1.0\""), "{error}");
    }
}
