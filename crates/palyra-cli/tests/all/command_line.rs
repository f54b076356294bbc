//! Help, completions, manual pages, and command lines that cannot be read.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

fn shown(arguments: &[&str]) -> String {
    TestEnvironment::new().palyra(arguments).shown()
}

#[test]
fn the_help_of_palyra() {
    assert_snapshot!(shown(&["--help"]), @"
    exit 0
    --- stdout
    Run signed skills in a WebAssembly sandbox

    Usage: palyra [COMMAND]

    Start here:
      up             Start the daemon; create the state root if it does not exist
      status         Show whether the daemon is running and what needs attention
      run            Run a tool of an installed skill, or a .wasm file
      tools          List, search and inspect tools, and give them aliases
      doctor         Check this machine and the state root, and report problems

    Talk to an agent:
      chat           Talk to the agent
      sessions       Manage sessions with the agent
      models         Manage the language models of the agent
      console        Open the console in a browser and manage its sessions

    See what happened:
      runs           List runs, follow and replay them, and print receipts
      surfaces       Show documents that tools returned and submit their forms
      approvals      Approve or deny calls that need a person's approval
      journal        Search the journal of all events and verify it
      logs           Show the log of the daemon

    Automate:
      routines       Schedule tool calls and show their history
      objectives     Give routines a goal and a budget of runs and fuel
      hooks          Bind plugins to events and test them
      channels       Manage channels that skills publish messages to
      deliveries     Inspect deliveries to hooks and channels, and retry failed ones

    Write and publish skills:
      skills         Write, package, install and manage skills
      keys           Manage the keys that sign skills
      trust          Manage trusted publishers

    Control access:
      plugins        Show and limit what a skill is allowed to do
      policy         Show, change and test the access policy
      runner-policy  Set limits for all runs, and allow or forbid inline modules
      audit-policy   Show or change the rules of skill audits
      tokens         Manage tokens for programs that call tools
      vault          Manage secrets for skills; no command prints them

    Operate:
      daemon         Run, inspect or stop the daemon
      init           Create the state root
      mcp            Connect MCP clients to installed tools
      backup         Back up the state root into a new file
      restore        Restore the state root from a backup

    Other:
      completions    Print shell completions
      man            Print a manual page
      version        Print the version

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Options of every command (--json, --state-root, …): palyra help global
    ");
    assert_eq!(shown(&["-h"]), shown(&["--help"]));
    assert_eq!(shown(&["help"]), shown(&["--help"]));
}

#[test]
fn palyra_alone_is_a_start_page() {
    assert_snapshot!(shown(&[]), @"
    exit 0
    --- stdout
    palyra 0.1.0: run signed skills in a WebAssembly sandbox

    daemon      not running
    state root  [ROOT]/home/.palyra (not created yet)

    Start here:
      [PALYRA] up -d                              Start the daemon and install the example skills
      [PALYRA] tools list                         List the tools you can run
      [PALYRA] run palyra.counter_wat.add step=5  Run a tool
      [PALYRA] runs show latest                   Show what the last run did

    More:
      [PALYRA] help      List all commands
      [PALYRA] help run  Explain one command
      [PALYRA] doctor    Check this machine and the state root
    ");
    let json = TestEnvironment::new().palyra(&["--json"]).json();
    assert_eq!((&json["schema"], &json["status"]["running"]), (&"palyra.start/v1".into(), &false.into()));
}

#[test]
fn version_is_a_command_and_a_flag() {
    let environment = TestEnvironment::new();
    assert_eq!(environment.palyra(&["version"]).stdout, environment.palyra(&["--version"]).stdout);
    assert_eq!(environment.palyra(&["version", "--json"]).json()["schema"], "palyra.version/v1");
}

#[test]
fn global_options_have_one_page() {
    let page = shown(&["help", "global"]);
    assert_snapshot!(page, @"
    exit 0
    --- stdout
    Options that every command takes

          --output <FORMAT>         Format of results and errors [env: PALYRA_OUTPUT] [default: human]
                                    [possible values: human, json, ndjson]
          --json                    Same as `--output json`
          --color <WHEN>            When to use colour; `auto` also respects NO_COLOR [env:
                                    PALYRA_COLOR] [default: auto] [possible values: auto, always, never]
      -q, --quiet                   Print the result and errors only [env: PALYRA_QUIET]
      -v, --verbose                 Print more details [env: PALYRA_VERBOSE]
          --utc                     Show times in UTC and ISO 8601 instead of relative and local
          --no-input                Never prompt, and reject `-` when standard input is a terminal [env:
                                    PALYRA_NO_INPUT]
          --yes                     Answer yes to every confirmation
          --state-root <DIR>        State root directory [default: ~/.palyra] [env: PALYRA_STATE_ROOT]
          --lock-wait <SECONDS>     Seconds to wait while another process uses the state root [env:
                                    PALYRA_LOCK_WAIT] [default: 10]
          --passphrase-file <FILE>  File with the passphrase of the device key [env:
                                    PALYRA_PASSPHRASE_FILE]
          --url <URL>               URL of the daemon, `https` or loopback [default: the daemon of the
                                    state root] [env: PALYRA_URL]
          --token-file <FILE>       File with the access token [default: the owner token of the state
                                    root] [env: PALYRA_TOKEN_FILE]
    ");
    for command in [&["run", "--help"][..], &["runs", "list", "-h"], &["help", "skills", "install"]] {
        let page = shown(command);
        assert!(!page.contains("--token-file") && page.contains("palyra help global"), "{page}");
    }
}

#[test]
fn the_help_of_run() {
    assert_snapshot!(shown(&["run", "--help"]), @r#"
    exit 0
    --- stdout
    Run a tool of an installed skill, or a .wasm file

    Example:
      palyra run acme.notes.add text='buy milk'
      palyra run acme.notes.add '{"text": "buy milk"}'
      palyra run ./counter.wat step=5 --grant storage:counter/
      palyra run --module fetch.wasm --tool web.fetch --input @request.json \
          --grant 'http:GET https://api.example.com/items/*' --record fetch.tape
      palyra run --module fetch.wasm --replay fetch.tape
      palyra run --module counter.wat --inline

    Usage: palyra run [OPTIONS] [TOOL|FILE] [KEY=VALUE|JSON]...

    Arguments:
      [TOOL|FILE]          Tool of an installed skill, or a `.wasm` or `.wat` file
      [KEY=VALUE|JSON]...  Input, typed by the tool's schema

    Options:
          --module <FILE>            Module to run: a component or core module, binary or text (`.wat`)
          --tool <ID>                Tool of the module [default: the only one]
          --export <NAME>            Exported function of a core module [default: palyra_plugin_main]
          --inline                   Run the module in the daemon under the runner policy, with a
                                     receipt in the journal
          --describe                 Show the tools, hooks and schemas that the module describes,
                                     without a call
          --input <JSON|@FILE|->     Input: JSON text, a file, or `-` for standard input [default: {}]
          --grant <GRANT>            Grant a capability, for example `storage:notes/` (repeatable)
          --limit <NAME=VALUE>       Set a limit, for example `fuel=1000000` or `timeout=5s`
                                     (repeatable)
          --secret <NAME=@FILE|->    Secret for this run, its value from a file or standard input
                                     (repeatable)
          --config <JSON|@FILE|->    Operator settings of the plugin: JSON text, a file, or `-`
                                     [default: {}]
          --storage-dir <DIR>        Store the guest's data in this directory instead of in memory
          --wait-approval <SECONDS>  Seconds to wait for an approval, for a tool that needs one
          --ca-file <PEM>            Additional root certificates to trust, a PEM file
          --record <TAPE>            Record all external inputs of the run to this file
          --replay <TAPE>            Replay a recording without external access, and compare
          --trace                    List every host call
          --no-cache                 Compile without reading or writing the cache
      -h, --help                     Print help

    The result goes to standard output, everything else to standard error. A tool of an installed skill
    has the permissions you consented to; `--grant` only maps its directories (`fs-read:NAME=DIR`) and
    allows private addresses (`address:CIDR`). A module has only the permissions given with `--grant`; a
    denial names the grant that would allow it. With `--inline` the daemon runs the module under its
    policies, without secrets or writable storage, and writes a receipt to the journal.

    Options of every command (--json, --state-root, …): palyra help global
    "#);
    assert_eq!(shown(&["run", "-h"]), shown(&["run", "--help"]));
}

#[test]
fn the_help_of_the_small_commands() {
    assert_snapshot!(shown(&["completions", "--help"]), @"
    exit 0
    --- stdout
    Print shell completions

    Example:
      palyra completions bash > ~/.local/share/bash-completion/completions/palyra
      palyra completions zsh > ~/.zfunc/_palyra
      palyra completions fish > ~/.config/fish/completions/palyra.fish

    Usage: palyra completions <SHELL>

    Arguments:
      <SHELL>  Shell to print completions for [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help

    The scripts for bash, zsh and fish ask `palyra` itself, so they also complete the ids of runs,
    skills and tools.

    Options of every command (--json, --state-root, …): palyra help global
    ");
    assert_snapshot!(shown(&["man", "--help"]), @"
    exit 0
    --- stdout
    Print a manual page

    Example:
      palyra man run | man -l -
      palyra man skills install | man -l -
      palyra man --out ~/.local/share/man/man1

    Usage: palyra man [OPTIONS] [COMMAND]...

    Arguments:
      [COMMAND]...  Command with its verb [default: the page of `palyra` itself]

    Options:
          --out <DIR>  Directory to write the pages of all commands to
      -h, --help       Print help

    Options of every command (--json, --state-root, …): palyra help global
    ");
}

#[test]
fn the_version() {
    assert_snapshot!(shown(&["--version"]), @"
    exit 0
    --- stdout
    palyra 0.1.0
    ");
}

#[test]
fn did_you_mean() {
    assert_snapshot!(shown(&["rum"]), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'rum'

      tip: some similar subcommands exist: 'runs', 'run'

    Usage: palyra [OPTIONS] [COMMAND]

    For more information, try '--help'.
    ");
    assert_snapshot!(shown(&["run", "--modul", "x"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--modul' found

      tip: a similar argument exists: '--module'

    Usage: palyra run --module <FILE> [TOOL|FILE] [KEY=VALUE|JSON]...

    For more information, try '--help'.
    ");
    assert_snapshot!(shown(&["--output", "jsn", "man"]), @"
    exit 2
    --- stderr
    error: invalid value 'jsn' for '--output <FORMAT>'
      [possible values: human, json, ndjson]

      tip: a similar value exists: 'json'

    For more information, try '--help'.
    ");
    assert_snapshot!(shown(&["--json", "rum"]), @r#"
    exit 2
    --- stderr
    {"error":{"code":"usage","message":"unrecognized subcommand 'rum'","hints":["did you mean `runs`, `run`?"],"details":{}}}
    "#);
    assert_snapshot!(shown(&["run", "--modul", "x", "--output=ndjson"]), @r#"
    exit 2
    --- stderr
    {"error":{"code":"usage","message":"unexpected argument '--modul' found","hints":["did you mean `--module`?"],"details":{}}}
    "#);
    assert_snapshot!(shown(&["run", "--json"]), @r#"
    exit 2
    --- stderr
    {"error":{"code":"usage","message":"the following required arguments were not provided: <TOOL|FILE>","hints":[],"details":{}}}
    "#);
}

#[test]
fn completions_know_the_flags_and_not_what_is_hidden() {
    for shell in ["elvish", "powershell"] {
        let ran = TestEnvironment::new().palyra(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("storage-dir") && ran.stdout.contains("completions"), "{shell}");
        assert!(!ran.stdout.contains("__compile") && !ran.stdout.contains("compile-timeout"), "{shell}");
    }
    let candidates = |words: &[&str]| {
        let ran = TestEnvironment::with_state().palyra(&[&["__complete", "--"], words].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    assert_eq!(candidates(&["run", "--sto"]), "--storage-dir\n");
    assert!(!candidates(&["run", "--"]).contains("compile-timeout"));
    assert_eq!(candidates(&["ru"]), "run\nruns\nrunner-policy\n");
    assert_eq!(candidates(&["runs", "show", ""]), "latest\n");
}

#[test]
fn bash_completes_ids_through_the_program() {
    let environment = TestEnvironment::with_state();
    environment.new_key("release");
    let script = environment.palyra(&["completions", "bash"]).stdout;
    environment.write("palyra.bash", script);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_palyra")).parent().unwrap();
    let mut bash = std::process::Command::new("bash");
    let line =
        "source ./palyra.bash; COMP_WORDS=(palyra keys export rel); COMP_CWORD=3; _palyra; echo $COMPREPLY";
    bash.args(["--norc", "-c", line]).current_dir(environment.path("")).env_clear();
    bash.env("PATH", format!("{}:/usr/bin:/bin", program.display())).env("HOME", environment.home(""));
    bash.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    let ran = environment.ran(bash.output().unwrap());
    assert_eq!(ran.stdout, "release\n", "{}", ran.shown());
}

#[test]
fn manual_pages() {
    let page = |arguments: &[&str]| {
        let ran = TestEnvironment::new().palyra(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout
    };
    let palyra = page(&["man"]);
    assert!(palyra.contains(".TH palyra 1") && palyra.contains("palyra\\-run(1)"), "{palyra}");
    let run = page(&["man", "run"]);
    assert!(run.contains(".TH palyra-run 1") && run.contains("\\-\\-grant"), "{run}");
    assert!(!run.contains("compile"), "{run}");
    assert_snapshot!(shown(&["man", "fun"]), @"
    exit 2
    --- stderr
    error: unknown command `fun`
    hint: choose from `init`, `up`, `status`, `logs`, `chat`, `sessions`, `run`, `skills`, `tools`, `plugins`, `runs`, `surfaces`, `approvals`, `routines`, `objectives`, `models`, `hooks`, `channels`, `deliveries`, `tokens`, `policy`, `keys`, `trust`, `audit-policy`, `runner-policy`, `vault`, `journal`, `mcp`, `console`, `daemon`, `doctor`, `backup`, `restore`, `completions`, `man`, `version`
    ");
}

#[test]
fn the_compiling_child_is_not_a_command_for_people() {
    let ran = TestEnvironment::new().palyra(&["__compile-module"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", ""));
}

#[test]
fn former_dead_letters_commands_name_the_new_one() {
    let environment = TestEnvironment::new();
    let cases: [(&[&str], &str); 2] = [
        (&["hooks", "dead-letters", "list", "--binding", "tell-me"], "--hook NAME"),
        (&["channels", "dead-letters", "retry", "alerts", "3"], "--channel NAME"),
    ];
    for (arguments, filter) in cases {
        let ran = environment.palyra(arguments);
        let command = format!("palyra deliveries dead-letters list {filter}");
        assert!(ran.code == 2 && ran.stderr.contains(&command), "{}", ran.shown());
    }
}
