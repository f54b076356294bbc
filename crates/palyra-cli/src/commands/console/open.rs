//! `palyra console open`.

use crate::cli::{Globals, OutputForm};
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use crate::terminal::Terminal;
use clap::Args;
use palyra_api::console::SignInLink;
use palyra_common::fs::{Directory, FsError};
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const EXAMPLE: &str = "\
Example:
  palyra console open";

const MORE: &str = "\
Prints a link that signs one browser in, once, within a minute. A browser is opened only at a terminal with a
display, and never with `--json`. A daemon is started if none runs.";

/// The file that leads a browser to the link, in the folder `run` of the state root.
const LEADING_PAGE: &str = "console-open.html";

/// Sign a browser in to the console
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct OpenArgs {}

#[derive(Serialize)]
pub(super) struct Opened {
    #[serde(flatten)]
    link: SignInLink,
    /// Whether a browser was started.
    opened: bool,
}

pub(super) fn execute(globals: &Globals) -> Result<Opened, CliError> {
    let link = client::stay(globals, async |client| client.sign_in_link().await)?;
    let opened = link.console_built && may_open(globals) && open_browser(globals, &link.url);
    Ok(Opened { link, opened })
}

fn may_open(globals: &Globals) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let display = cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY");
    let person = Terminal::of_person(globals).is_some() && std::io::stdout().is_terminal();
    person && display && globals.url.is_none() && globals.form() == OutputForm::Human
}

/// Starts a browser; the link is printed whether that works or not.
fn open_browser(globals: &Globals, url: &str) -> bool {
    let Ok(root) = state::root(globals) else { return false };
    let Ok(page) = write_leading_page(&root.path().join("run"), url) else { return false };
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

/// Writes a private page that leads to the link: other users of this machine see the arguments of every process, and
/// must not see the code.
fn write_leading_page(folder: &Path, url: &str) -> Result<PathBuf, FsError> {
    let url = url.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">Open the console</a>\n"
    );
    Directory::create_private(folder)?.write(LEADING_PAGE, page.as_bytes())?;
    Ok(folder.join(LEADING_PAGE))
}

impl Reply for Opened {
    const SCHEMA: &'static str = "palyra.console.open/v1";

    fn data(&self) -> String {
        format!("{}\n", self.link.url)
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = vec![Remark::Note("the link signs one browser in, once, within 60 seconds".into())];
        if !self.link.console_built {
            let missing = "the daemon was built without the console; `cargo xtask build` builds it";
            talk.push(Remark::Warning(missing.into()));
        }
        if self.opened {
            talk.push(Remark::Note("a browser was started with it".into()));
        }
        talk
    }
}
