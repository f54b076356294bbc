//! Help, completions, manual pages, and command lines that cannot be read.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

fn shown(arguments: &[&str]) -> String {
    TestEnvironment::new().palyra(arguments).shown()
}

#[test]
fn the_help_of_palyra() {
    assert_snapshot!(shown(&["--help"]), @r#"
    exit 0
    --- stdout
    Example:
      palyra run --module counter.wat --grant storage:counter/ --input '{"step": 5}'

    Run WebAssembly plugins in a capability sandbox

    Usage: palyra [OPTIONS] <COMMAND>

    Commands:
      init           Create the state root
      up             Start the daemon, and create the state root if there is none
      status         Show whether the daemon is running and what needs attention
      logs           Show the log of the daemon
      chat           Talk to the agent
      sessions       Manage sessions with the agent
      run            Call a tool of an installed skill, or of a module with only the doors open that you
                     name
      skills         Package, check, install and look after skills
      tools          See which tools can be called, and name them
      plugins        See what runs of a skill get and why, and set it
      runs           See what ran, follow it, replay it, and prove it to others
      approvals      Decide about calls that wait for a person
      routines       Let a tool be called by the time, and see what came of it
      objectives     Bound what routines may use for a goal, in runs and in fuel
      hooks          Bind plugins to events, and try them out
      channels       Define channels that skills with a grant publish to, and follow them
      deliveries     Show deliveries to hooks and channels, and retry those that failed
      tokens         Make, list and remove tokens for programs that call tools
      policy         Decide who may do what, and ask what the rules say
      keys           Make and keep the keys that sign skills
      trust          Decide whose skills are believed
      audit-policy   Decide what audits look for
      runner-policy  Decide what runs may do at most, and whether a module may come with its call
      vault          Keep secrets for skills; no command shows one
      journal        See what happened, and prove that nothing was taken out
      mcp            Offer the tools of installed skills to an MCP client
      console        Open the console in a browser, and manage who is signed in
      daemon         Run, inspect or stop the daemon
      doctor         Look at the machine and the state, and say what is not in order
      backup         Copy the state root into one new file
      restore        Put a backup in the place of the state root
      completions    Print the completions of a shell
      man            Print a manual page
      help           Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --output <FORM>           How results and errors are written [env: PALYRA_OUTPUT] [default:
                                    human] [possible values: human, json, ndjson]
          --json                    Short for `--output json`
          --color <WHEN>            When to use colour; `auto` also respects NO_COLOR [env:
                                    PALYRA_COLOR] [default: auto] [possible values: auto, always, never]
      -q, --quiet                   Show the result and errors only [env: PALYRA_QUIET]
      -v, --verbose                 Show more about what happened [env: PALYRA_VERBOSE]
          --no-input                Never wait for a person: ask nothing, and refuse `-` when standard
                                    input is a terminal [env: PALYRA_NO_INPUT]
          --yes                     Answer yes to every "are you sure?"
          --state-root <DIR>        The state root: trust, skills, secrets and journal [default:
                                    ~/.palyra] [env: PALYRA_STATE_ROOT]
          --lock-wait <SECONDS>     How long to wait for another command that uses the state root [env:
                                    PALYRA_LOCK_WAIT] [default: 10]
          --passphrase-file <FILE>  The file with the passphrase of the device key, where it has one
                                    [env: PALYRA_PASSPHRASE_FILE]
          --url <URL>               The daemon to speak to, instead of the one of the state root:
                                    `https`, or `http` to a loopback address [env: PALYRA_URL]
          --token-file <FILE>       The file with the token to show it [default: the owner's, in the
                                    state root] [env: PALYRA_TOKEN_FILE]
    "#);
    assert_eq!(shown(&["-h"]), shown(&["--help"]));
    assert_eq!(shown(&["help"]), shown(&["--help"]));
}

#[test]
fn the_help_of_run() {
    assert_snapshot!(shown(&["run", "--help"]), @r#"
    exit 0
    --- stdout
    Example:
      palyra run acme.notes.add --input '{"text": "buy milk"}'
      palyra run --module counter.wat --grant storage:counter/ --input '{"step": 5}'
      palyra run --module fetch.wasm --tool web.fetch --input @request.json \
          --grant 'http:GET https://api.example.com/items/*' --record fetch.tape
      palyra run --module fetch.wasm --replay fetch.tape
      palyra run --module counter.wat --inline

    Call a tool of an installed skill, or of a module with only the doors open that you name

    Usage: palyra run [OPTIONS] [TOOL]

    Arguments:
      [TOOL]  The tool of an installed skill, as in `acme.notes.add`

    Options:
          --module <FILE>            The module: a component or core module, as binary or as text
                                     (`.wat`)
          --tool <ID>                The tool to call; may be left out when the module has only one
          --export <NAME>            The function of a core module [default: palyra_plugin_main]
          --inline                   Run the module in the daemon, where the runner's policy allows it,
                                     with a receipt in the journal
          --input <JSON|@FILE|->     The input: JSON text, a file, or `-` for standard input [default:
                                     {}]
          --grant <GRANT>            Open a door, as in `storage:notes/`; may be given again
          --limit <NAME=VALUE>       Set a limit, as in `fuel=1000000` or `timeout=5s`; may be given
                                     again
          --secret <NAME=@FILE|->    Keep a secret for this run, its value from a file or standard
                                     input; may be given again
          --config <JSON|@FILE|->    The operator's settings for the plugin: JSON text, a file, or `-`
                                     [default: {}]
          --storage-dir <DIR>        Keep the guest's storage in this directory instead of in memory
          --wait-approval <SECONDS>  Wait so long for somebody to approve the call, where one has to
          --ca-file <PEM>            Trust the root certificates in this file, besides the usual ones
          --record <TAPE>            Write everything the run was told by the outside world to this file
          --replay <TAPE>            Run again from a tape, without the outside world, and compare
          --trace                    List every host call
          --no-cache                 Compile anew and keep nothing
      -h, --help                     Print help

    Global options:
          --output <FORM>           How results and errors are written [env: PALYRA_OUTPUT] [default:
                                    human] [possible values: human, json, ndjson]
          --json                    Short for `--output json`
          --color <WHEN>            When to use colour; `auto` also respects NO_COLOR [env:
                                    PALYRA_COLOR] [default: auto] [possible values: auto, always, never]
      -q, --quiet                   Show the result and errors only [env: PALYRA_QUIET]
      -v, --verbose                 Show more about what happened [env: PALYRA_VERBOSE]
          --no-input                Never wait for a person: ask nothing, and refuse `-` when standard
                                    input is a terminal [env: PALYRA_NO_INPUT]
          --yes                     Answer yes to every "are you sure?"
          --state-root <DIR>        The state root: trust, skills, secrets and journal [default:
                                    ~/.palyra] [env: PALYRA_STATE_ROOT]
          --lock-wait <SECONDS>     How long to wait for another command that uses the state root [env:
                                    PALYRA_LOCK_WAIT] [default: 10]
          --passphrase-file <FILE>  The file with the passphrase of the device key, where it has one
                                    [env: PALYRA_PASSPHRASE_FILE]
          --url <URL>               The daemon to speak to, instead of the one of the state root:
                                    `https`, or `http` to a loopback address [env: PALYRA_URL]
          --token-file <FILE>       The file with the token to show it [default: the owner's, in the
                                    state root] [env: PALYRA_TOKEN_FILE]

    The result goes to standard output, everything else to standard error. A tool of an installed skill
    gets what
    its manifest asks for and you agreed to; `--grant` only maps its directories (`fs-read:NAME=DIR`)
    and opens
    private addresses (`address:CIDR`). For a module nothing is granted unless a `--grant` says so; a
    refusal names
    the grant that would have allowed it. With `--inline` a module runs as one that came with the call:
    under the
    daemon's policies, without secrets or anything to write to, and with a receipt in the journal.
    "#);
    assert_eq!(shown(&["run", "-h"]), shown(&["run", "--help"]));
}

#[test]
fn the_help_of_the_small_commands() {
    assert_snapshot!(shown(&["completions", "--help"]), @r#"
    exit 0
    --- stdout
    Example:
      palyra completions bash > ~/.local/share/bash-completion/completions/palyra

    Print the completions of a shell

    Usage: palyra completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help

    Global options:
          --output <FORM>           How results and errors are written [env: PALYRA_OUTPUT] [default:
                                    human] [possible values: human, json, ndjson]
          --json                    Short for `--output json`
          --color <WHEN>            When to use colour; `auto` also respects NO_COLOR [env:
                                    PALYRA_COLOR] [default: auto] [possible values: auto, always, never]
      -q, --quiet                   Show the result and errors only [env: PALYRA_QUIET]
      -v, --verbose                 Show more about what happened [env: PALYRA_VERBOSE]
          --no-input                Never wait for a person: ask nothing, and refuse `-` when standard
                                    input is a terminal [env: PALYRA_NO_INPUT]
          --yes                     Answer yes to every "are you sure?"
          --state-root <DIR>        The state root: trust, skills, secrets and journal [default:
                                    ~/.palyra] [env: PALYRA_STATE_ROOT]
          --lock-wait <SECONDS>     How long to wait for another command that uses the state root [env:
                                    PALYRA_LOCK_WAIT] [default: 10]
          --passphrase-file <FILE>  The file with the passphrase of the device key, where it has one
                                    [env: PALYRA_PASSPHRASE_FILE]
          --url <URL>               The daemon to speak to, instead of the one of the state root:
                                    `https`, or `http` to a loopback address [env: PALYRA_URL]
          --token-file <FILE>       The file with the token to show it [default: the owner's, in the
                                    state root] [env: PALYRA_TOKEN_FILE]
    "#);
    assert_snapshot!(shown(&["man", "--help"]), @r#"
    exit 0
    --- stdout
    Example:
      palyra man run | man -l -
      palyra man skills install | man -l -

    Print a manual page

    Usage: palyra man [OPTIONS] [COMMAND]...

    Arguments:
      [COMMAND]...  The command whose page it is, with its verb if it has one; without any, the page of
                    `palyra` itself

    Options:
      -h, --help  Print help

    Global options:
          --output <FORM>           How results and errors are written [env: PALYRA_OUTPUT] [default:
                                    human] [possible values: human, json, ndjson]
          --json                    Short for `--output json`
          --color <WHEN>            When to use colour; `auto` also respects NO_COLOR [env:
                                    PALYRA_COLOR] [default: auto] [possible values: auto, always, never]
      -q, --quiet                   Show the result and errors only [env: PALYRA_QUIET]
      -v, --verbose                 Show more about what happened [env: PALYRA_VERBOSE]
          --no-input                Never wait for a person: ask nothing, and refuse `-` when standard
                                    input is a terminal [env: PALYRA_NO_INPUT]
          --yes                     Answer yes to every "are you sure?"
          --state-root <DIR>        The state root: trust, skills, secrets and journal [default:
                                    ~/.palyra] [env: PALYRA_STATE_ROOT]
          --lock-wait <SECONDS>     How long to wait for another command that uses the state root [env:
                                    PALYRA_LOCK_WAIT] [default: 10]
          --passphrase-file <FILE>  The file with the passphrase of the device key, where it has one
                                    [env: PALYRA_PASSPHRASE_FILE]
          --url <URL>               The daemon to speak to, instead of the one of the state root:
                                    `https`, or `http` to a loopback address [env: PALYRA_URL]
          --token-file <FILE>       The file with the token to show it [default: the owner's, in the
                                    state root] [env: PALYRA_TOKEN_FILE]
    "#);
}

#[test]
fn without_a_command_there_is_help_and_a_failure() {
    let ran = TestEnvironment::new().palyra(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("Example:\n"), "{}", ran.stderr);
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

    Usage: palyra [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(shown(&["run", "--modul", "x"]), @"
    exit 2
    --- stderr
    error: unexpected argument '--modul' found

      tip: a similar argument exists: '--module'

    Usage: palyra run --module <FILE> [TOOL]

    For more information, try '--help'.
    ");
    assert_snapshot!(shown(&["--output", "jsn", "man"]), @"
    exit 2
    --- stderr
    error: invalid value 'jsn' for '--output <FORM>'
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
    {"error":{"code":"usage","message":"the following required arguments were not provided: <TOOL>","hints":[],"details":{}}}
    "#);
}

#[test]
fn completions_know_the_flags_and_not_what_is_hidden() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = TestEnvironment::new().palyra(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("storage-dir") && ran.stdout.contains("completions"), "{shell}");
        assert!(!ran.stdout.contains("__compile") && !ran.stdout.contains("compile-timeout"), "{shell}");
    }
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
    error: there is no command `fun`
    hint: there is `init`, `up`, `status`, `logs`, `chat`, `sessions`, `run`, `skills`, `tools`, `plugins`, `runs`, `approvals`, `routines`, `objectives`, `hooks`, `channels`, `deliveries`, `tokens`, `policy`, `keys`, `trust`, `audit-policy`, `runner-policy`, `vault`, `journal`, `mcp`, `daemon`, `doctor`, `backup`, `restore`, `completions`, `man`
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
