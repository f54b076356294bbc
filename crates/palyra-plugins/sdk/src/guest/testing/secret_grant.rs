//! Secret grants: `global/token hosts=api.example.com inject=bearer reveal`.

use super::http_rule::host_matches;
use super::names::{is_host_pattern, is_plain, is_secret};
use crate::guest::raw::http::SecretForm;

/// Permission to use a secret: its hosts, its placements, and whether the guest may read it.
#[derive(Debug, Clone)]
pub(super) struct SecretGrant {
    /// The reference, `scope/key`.
    pub(super) name: String,
    hosts: Vec<String>,
    inject: Vec<String>,
    pub(super) reveal: bool,
}

impl SecretGrant {
    /// Parses the part of a grant line after `secret:`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let name = words.next().filter(|name| is_secret(name)).ok_or("a secret is SCOPE/KEY")?;
        let mut grant = Self { name: name.to_owned(), hosts: Vec::new(), inject: Vec::new(), reveal: false };
        for option in words {
            match option.split_once('=') {
                Some(("hosts", hosts)) if grant.hosts.is_empty() => {
                    grant.hosts = hosts.split(',').map(str::to_ascii_lowercase).collect()
                }
                Some(("inject", forms)) if grant.inject.is_empty() => {
                    grant.inject = forms.split(',').map(lower_header).collect()
                }
                None if option == "reveal" && !grant.reveal => grant.reveal = true,
                _ => return Err("the options are `hosts=…`, `inject=…` and `reveal`, each once"),
            }
        }
        if !grant.inject.iter().all(|form| is_form(form)) {
            return Err("a form is `bearer`, `basic`, `header:NAME` or `query:NAME`");
        }
        if !grant.hosts.iter().all(|host| is_host_pattern(host)) {
            return Err("a host is a name, `*.` and a name, or an address");
        }
        if !grant.reveal && (grant.hosts.is_empty() || grant.inject.is_empty()) {
            return Err("write `hosts=…` and `inject=…`, or `reveal`");
        }
        Ok(grant)
    }

    /// Returns whether `name` refers to this secret: `scope/key`, or the key alone.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.split_once('/').is_some_and(|(_, key)| key == name)
    }

    /// Returns whether the secret is bound to this host.
    pub(super) fn is_bound_to(&self, host: &str) -> bool {
        self.hosts.iter().any(|pattern| host_matches(pattern, host))
    }

    /// Returns whether the secret can be sent to this host in this form.
    pub(super) fn allows(&self, host: &str, form: &SecretForm) -> bool {
        self.is_bound_to(host) && self.inject.contains(&form_text(form))
    }
}

/// Returns the form in the spelling of a grant line.
pub(super) fn form_text(form: &SecretForm) -> String {
    match form {
        SecretForm::Bearer => "bearer".to_owned(),
        SecretForm::BasicPassword(_) => "basic".to_owned(),
        SecretForm::Header(name) => format!("header:{}", name.to_ascii_lowercase()),
        SecretForm::Query(name) => format!("query:{name}"),
    }
}

fn is_form(form: &str) -> bool {
    match form.split_once(':') {
        None => matches!(form, "bearer" | "basic"),
        Some((place, name)) => matches!(place, "header" | "query") && is_plain(name),
    }
}

fn lower_header(form: &str) -> String {
    if form.starts_with("header:") { form.to_ascii_lowercase() } else { form.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_hosts() {
        let grant = SecretGrant::parse("global/key hosts=A.example inject=header:X-Key,query:K").unwrap();
        assert!(grant.is_called("key") && grant.is_called("global/key") && !grant.is_called("global"));
        assert!(grant.allows("a.example", &SecretForm::Header("x-KEY".into())));
        assert!(grant.allows("a.example", &SecretForm::Query("K".into())));
        assert!(!grant.allows("a.example", &SecretForm::Query("k".into())));
        assert!(!grant.allows("a.example", &SecretForm::Bearer));
        assert!(!grant.allows("b.example", &SecretForm::Query("K".into())));
    }

    #[test]
    fn refused() {
        for line in [
            "key reveal",
            "global/key",
            "global/key hosts=a.example",
            "global/key hosts=a.example inject=cookie",
            "global/key show",
            "global/key reveal reveal",
        ] {
            assert!(SecretGrant::parse(line).is_err(), "{line}");
        }
    }
}
