//! `palyra console open`.

use crate::browser::Browser;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::state;
use clap::Args;
use palyra_api::console::SignInLink;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra console open";

const MORE: &str = "\
Prints a link that signs in one browser, once, within a minute. The command opens a browser only at a
terminal with a display, and never with `--json`. It starts a daemon if none is running.";

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
    let browser = link.console_built.then(|| Browser::of_person(globals)).flatten();
    let opened = match browser {
        Some(browser) => browser.open(state::root(globals)?.path(), &link.url),
        None => false,
    };
    Ok(Opened { link, opened })
}

impl Reply for Opened {
    const SCHEMA: &'static str = "palyra.console.open/v1";

    fn data(&self) -> String {
        format!("{}\n", self.link.url)
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = vec![Remark::Note("the link signs in one browser, once, within 60 seconds".into())];
        if !self.link.console_built {
            let missing = "the daemon was built without the console; `cargo xtask build` builds it";
            talk.push(Remark::Warning(missing.into()));
        }
        if self.opened {
            talk.push(Remark::Note("opened the link in a browser".into()));
        }
        talk
    }
}
