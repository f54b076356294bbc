//! Honest manifests over every feature a manifest has, as authors would write them.

/// Names and texts of honest manifests; every one of them must be accepted by parser and audit.
pub(crate) fn honest_manifests() -> Vec<(String, String)> {
    FEATURES
        .iter()
        .enumerate()
        .map(|(index, feature)| (feature.name.to_owned(), feature.manifest(index)))
        .collect()
}

/// Returns a manifest with one tool; tests add lines before and after it.
pub(crate) fn manifest_with(root: &str, tables: &str) -> String {
    let feature = Feature { name: "notes", about: "Keeps short notes.", root, tool: "", tables };
    feature.manifest(0)
}

/// A feature of a valid skill: the tables that it adds to the minimal manifest.
struct Feature<'a> {
    name: &'a str,
    about: &'a str,
    /// Lines of the root table.
    root: &'a str,
    /// Lines of the tool.
    tool: &'a str,
    /// Further tables of the manifest.
    tables: &'a str,
}

impl Feature<'_> {
    fn manifest(&self, index: usize) -> String {
        let Self { name, about, root, tool, tables } = self;
        let id = name.replace('-', "_");
        let counter = index + 1;
        format!(
            r#"manifest_version = 1
skill_id = "acme.{name}"
name = "{name}"
version = "1.{index}.0"
publisher = "acme"
release_counter = {counter}
{root}

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.{id}.run"
name = "Run"
description = "{about}"
module = "modules/{name}.wasm"
input_schema = {{ type = "object", properties = {{ text = {{ type = "string", description = "What to work on" }} }} }}
output_schema = {{ type = "object" }}
{tool}
{tables}
"#
        )
    }
}

const fn feature<'a>(name: &'a str, about: &'a str) -> Feature<'a> {
    Feature { name, about, root: "", tool: "", tables: "" }
}

const FEATURES: &[Feature<'_>] = &[
    feature("plain", "Returns the text it is given."),
    Feature {
        root: "summary = \"Counts words\"\ndescription = \"\"\"\nCounts words,\nlines and characters.\n\"\"\"",
        ..feature("words", "Counts the words of a text.")
    },
    Feature {
        root: "license = \"MIT OR Apache-2.0\"\nhomepage = \"https://example.com/skills\"",
        ..feature("licensed", "Formats a date.")
    },
    Feature {
        root: "categories = [\"text\", \"office\"]\ntags = [\"markdown\", \"to-html\"]",
        ..feature("markdown", "Turns Markdown into HTML.")
    },
    Feature { tool: "export = \"convert\"", ..feature("core-export", "Converts units of length.") },
    Feature {
        tool: "risk = { default_sensitive = true, requires_approval = true }",
        ..feature("careful", "Sends an invoice.")
    },
    Feature { tool: "returns = \"a2ui\"", ..feature("panel", "Shows a panel with the weather.") },
    Feature {
        tool: "examples = [{ text = \"hello\" }, { text = \"bonjour à tous\" }]",
        ..feature("examples", "Guesses the language of a text.")
    },
    Feature {
        tables: "[capabilities]\nhttp_egress_allowlist = [\"api.example.com\"]",
        ..feature("echo-http", "Fetches a page.")
    },
    Feature {
        tables: "[[capabilities.http_rules]]\nhost = \"api.example.com\"\nmethods = [\"GET\", \"HEAD\"]\npaths = [\"/items/*\", \"/items/*/parts/**\"]\nresponse_bytes = 1048576",
        ..feature("items", "Looks up an item.")
    },
    Feature {
        tables: "[[capabilities.http_rules]]\nhost = \"intranet.example\"\nscheme = \"http\"\nports = [8080, 8081]\ntotal_bytes = 65536",
        ..feature("intranet", "Reads the bulletin board.")
    },
    Feature {
        tables: "[capabilities]\nhttp_egress_allowlist = [\"*.example.com\"]\nwildcard_opt_in = true",
        ..feature("shards", "Reads from whichever shard holds the record.")
    },
    Feature {
        tables: "[capabilities]\nhttp_egress_allowlist = [\"bücher.example\"]",
        ..feature("buecher", "Sucht ein Buch in der Bücherei.")
    },
    Feature {
        tables: "[capabilities]\nhttp_egress_allowlist = [\"api.github.com\"]\n[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"github_token\"]\nhosts = [\"api.github.com\"]\ninject = [\"bearer\"]",
        ..feature("issues", "Lists the open issues of a repository.")
    },
    Feature {
        tables: "[capabilities]\nhttp_egress_allowlist = [\"a.example.com\", \"b.example.com\"]\n[[capabilities.secrets]]\nscope = \"skill:acme.two-keys\"\nkey_names = [\"first\", \"second\"]\nhosts = [\"a.example.com\", \"b.example.com\"]\ninject = [\"header:x-api-key\", \"query:key\"]",
        ..feature("two-keys", "Compares two accounts.")
    },
    Feature {
        tables: "[[capabilities.secrets]]\nscope = \"principal:owner\"\nkey_names = [\"signing_seed\"]\nreveal = true",
        ..feature("signer", "Signs a document with the key of its owner.")
    },
    Feature {
        tables: "[capabilities]\nstorage_prefixes = [\"notes/\", \"index/v1/\"]",
        ..feature("notes", "Keeps short notes.")
    },
    Feature {
        tables: "[capabilities]\nstorage_prefixes = [\"cache/\"]\nstorage_quota_bytes = 1048576",
        ..feature("cache", "Remembers answers for a while.")
    },
    Feature {
        tables: "[capabilities]\nchannels = [\"alerts\", \"daily.digest\"]",
        ..feature("alerts", "Tells a channel when something is due.")
    },
    Feature {
        tables: "[capabilities.filesystem]\nread_roots = [\"docs\"]",
        ..feature("search-docs", "Searches the documents of the team.")
    },
    Feature {
        tables: "[capabilities.filesystem]\nread_roots = [\"photos\"]\nwrite_roots = [\"thumbnails\"]",
        ..feature("thumbnails", "Makes small pictures of large ones.")
    },
    Feature {
        tables: "[capabilities.quotas]\nfuel_budget = 200000000\nmax_memory_bytes = 134217728\nwall_clock_timeout_ms = 60000",
        ..feature("ocr", "Reads the text of a picture.")
    },
    Feature {
        tables: "[capabilities.quotas]\nfuel_budget = 1000\nmax_output_bytes = 4096",
        ..feature("tiny", "Adds two numbers.")
    },
    Feature {
        tables: "[capabilities]\nnode_capabilities = [\"os:linux\", \"arch:x86_64\", \"net\"]",
        ..feature("linux-only", "Reports the load of this machine.")
    },
    Feature {
        tables: "[operator.config.page_size]\ntype = \"integer\"\ndescription = \"Items on one page\"\ndefault = 20\n[operator.config.verbose]\ntype = \"boolean\"\ndefault = false\n[operator.config.ratio]\ntype = \"number\"\ndefault = 0.5",
        ..feature("settings", "Lists things page by page.")
    },
    Feature {
        tables: "[operator.config.account]\ntype = \"string\"\nrequired = true\nredacted = true\n[operator.config.token]\ntype = \"secret\"\nrequired = true",
        ..feature("account", "Shows the balance of an account.")
    },
    Feature {
        tables: "[[entrypoints.hooks]]\nid = \"acme.watch.calls\"\nmodule = \"modules/watch.wasm\"\nevents = [\"run:before_tool\", \"run:after_tool\"]",
        ..feature("watch", "Shows which calls were held back.")
    },
    Feature {
        tables: "[[entrypoints.hooks]]\nid = \"acme.greeter.start\"\nmodule = \"modules/greeter.wasm\"\nexport = \"on_start\"\nevents = [\"gateway:startup\", \"gateway:shutdown\", \"routine:fired\"]",
        ..feature("greeter", "Says good morning.")
    },
    Feature {
        tables: "[[entrypoints.tools]]\nid = \"acme.calc.divide\"\nname = \"Divide\"\ndescription = \"Divides the first number by the second.\"\nmodule = \"modules/calc.wasm\"\nexport = \"divide\"\ninput_schema = { type = \"object\", required = [\"a\", \"b\"], additionalProperties = false, properties = { a = { type = \"number\" }, b = { type = \"number\", not = { const = 0 } } } }\noutput_schema = { type = \"number\" }",
        ..feature("calc", "Adds two numbers.")
    },
    Feature {
        tables: "[[entrypoints.tools]]\nid = \"acme.tree.depth\"\nname = \"Depth\"\ndescription = \"Measures a tree.\"\nmodule = \"modules/tree.wasm\"\ninput_schema = { type = \"object\", '$ref' = \"#/$defs/node\", '$defs' = { node = { type = \"object\", properties = { left = { '$ref' = \"#/$defs/node\" }, right = { '$ref' = \"#/$defs/node\" } } } } }\noutput_schema = { type = \"integer\", minimum = 0 }\nexamples = [{ left = { right = {} } }]",
        ..feature("tree", "Draws a tree.")
    },
    Feature {
        tables: "[[entrypoints.tools]]\nid = \"acme.enums.pick\"\nname = \"Pick\"\ndescription = \"Picks a colour.\"\nmodule = \"modules/enums.wasm\"\ninput_schema = { type = \"object\", properties = { colour = { enum = [\"red\", \"green\", \"blue\"], default = \"red\" }, day = { type = \"string\", format = \"date\", pattern = \"^[0-9]{4}-[0-9]{2}-[0-9]{2}$\" } } }\noutput_schema = { oneOf = [{ type = \"string\" }, { type = \"null\" }] }",
        ..feature("enums", "Names every colour.")
    },
    Feature {
        root: "summary = \"Přidá poznámku 📝\"",
        ..feature("poznamky", "Přidá poznámku a řekne, kolik jich už je – česky.")
    },
    Feature { root: "summary = \"メモを書く\"", ..feature("memo", "短いメモを書きます。") },
    Feature {
        root: "summary = \"یادداشت\"", ..feature("yaddasht", "یک یادداشت کوتاه می\u{200c}نویسد.")
    },
];

#[test]
fn there_are_at_least_thirty_honest_manifests_and_all_are_accepted() {
    let corpus = honest_manifests();
    assert!(corpus.len() >= 30, "{}", corpus.len());
    for (name, text) in &corpus {
        if let Err(error) = palyra_skills::parse_manifest_toml(text) {
            panic!("{name}:\n{}", error.render());
        }
    }
    let names: std::collections::BTreeSet<&String> = corpus.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), corpus.len());
}
