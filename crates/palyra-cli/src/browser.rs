//! Opens the browser of the user at the terminal.

use crate::cli::{Globals, OutputForm};
use crate::terminal::Terminal;
use palyra_common::fs::{Directory, FsError};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// File name of a page in the folder `run` of the state root that redirects to the link.
const LEADING_PAGE: &str = "console-open.html";

/// A browser that may be started, because a person is at a terminal on a machine with a display.
pub(crate) struct Browser(());

impl Browser {
    /// Returns the browser to open links in; `None` with `--json`, `--no-input` or `--url`, without a terminal, and
    /// without a display.
    pub(crate) fn of_person(globals: &Globals) -> Option<Self> {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let display = cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY");
        let person = Terminal::of_person(globals).is_some() && std::io::stdout().is_terminal();
        let may = person && display && globals.url.is_none() && globals.form() == OutputForm::Human;
        may.then_some(Self(()))
    }

    /// Opens a sign-in link; returns whether a browser was started.
    pub(crate) fn open(&self, state_root: &Path, url: &str) -> bool {
        let Ok(page) = write_leading_page(&state_root.join("run"), url) else { return false };
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let mut command = Command::new(program);
        command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    }
}

/// Writes a private page that redirects to the link: other users can see the arguments of a process, so they must not
/// contain the code.
fn write_leading_page(folder: &Path, url: &str) -> Result<PathBuf, FsError> {
    let url = url.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">Open the console</a>\n"
    );
    Directory::create_private(folder)?.write(LEADING_PAGE, page.as_bytes())?;
    Ok(folder.join(LEADING_PAGE))
}
