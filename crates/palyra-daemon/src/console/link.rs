//! The link that signs one browser in.

use palyra_api::console::SignInLink;

use crate::app::App;

impl App {
    /// Creates a link that signs one browser in within a minute; returns `None` if this process does not listen.
    pub fn sign_in_link(&self) -> Result<Option<SignInLink>, getrandom::Error> {
        let Some(url) = self.console().url() else { return Ok(None) };
        let made = self.console().new_code(self.expiry_now_ms())?;
        Ok(Some(SignInLink {
            url: format!("{url}/#code={}", made.code.as_str()),
            expires_ms: made.expires_ms,
            console_built: palyra_console_page::is_built(),
        }))
    }
}
