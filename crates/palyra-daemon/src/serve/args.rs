//! Flags for starting a daemon.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use palyra_common::deployment_profiles::{DeploymentProfile, PROFILES, ProfileRefusal, ServePlan};
use palyra_common::env_vars::{
    PALYRA_GRPC_LISTEN, PALYRA_IDLE_EXIT, PALYRA_LISTEN, PALYRA_LOG, PALYRA_LOG_FILE, PALYRA_LOG_JSON,
    PALYRA_OTLP_ENDPOINT, PALYRA_PROFILE, PALYRA_TLS_CERT, PALYRA_TLS_KEY,
};

use crate::server::{ServerConfig, TlsFiles};
use crate::traces::Collector;

/// How a daemon listens and what it logs.
#[derive(Args, Debug, Clone)]
pub struct ServeArgs {
    /// Deployment profile: `local`, `single-vm` or `worker-enabled`
    #[arg(long, value_name = "PROFILE", default_value = DeploymentProfile::DEFAULT, value_parser = parse_profile)]
    #[arg(env = PALYRA_PROFILE, hide_env_values = true)]
    pub profile: &'static DeploymentProfile,

    /// TCP address to listen on; port 0 takes a free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7437")]
    #[arg(env = PALYRA_LISTEN, hide_env_values = true)]
    pub listen: SocketAddr,

    /// TCP address to listen on for gRPC [default: no gRPC]
    #[arg(long, value_name = "ADDRESS:PORT")]
    #[arg(env = PALYRA_GRPC_LISTEN, hide_env_values = true)]
    pub grpc_listen: Option<SocketAddr>,

    /// TLS certificate, a PEM file; required to listen on anything but loopback
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    #[arg(env = PALYRA_TLS_CERT, hide_env_values = true)]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    #[arg(env = PALYRA_TLS_KEY, hide_env_values = true)]
    pub tls_key: Option<PathBuf>,

    /// Additional host name that requests can use for this daemon (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    pub allow_hosts: Vec<String>,

    /// Stop after this time without a connection, for example `10m`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[arg(env = PALYRA_IDLE_EXIT, hide_env_values = true)]
    pub idle_exit: Option<Duration>,

    /// Log level (`error`, `warn`, `info`, `debug`, `trace`) or filter by target
    #[arg(long, value_name = "FILTER", default_value = "info")]
    #[arg(env = PALYRA_LOG, hide_env_values = true)]
    pub log: String,

    /// Log as JSON, one object per line
    #[arg(long)]
    #[arg(env = PALYRA_LOG_JSON, hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub log_json: bool,

    /// Log to this file instead of standard error; kept below 16 MiB
    #[arg(long, value_name = "FILE")]
    #[arg(env = PALYRA_LOG_FILE, hide_env_values = true)]
    pub log_file: Option<PathBuf>,

    /// OTLP collector that gets the traces, for example `http://127.0.0.1:4318`
    #[arg(long, value_name = "URL")]
    #[arg(env = PALYRA_OTLP_ENDPOINT, hide_env_values = true)]
    pub otlp_endpoint: Option<Collector>,
}

/// Error of a text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid duration `{0}`: use a form such as `90s`, `10m` or `2h`")]
pub struct BadDuration(String);

impl ServeArgs {
    /// Checks whether the profile permits these flags.
    pub fn check_profile(&self) -> Result<(), ProfileRefusal> {
        let (tls, named) = (self.tls_cert.is_some(), !self.allow_hosts.is_empty());
        let mut listens = std::iter::once(self.listen).chain(self.grpc_listen);
        listens.try_for_each(|listen| self.profile.check(&ServePlan { listen, tls, named }))
    }

    /// Returns the flags as arguments for another process.
    pub fn to_arguments(&self) -> Vec<OsString> {
        let Self {
            profile,
            listen,
            grpc_listen,
            tls_cert,
            tls_key,
            allow_hosts,
            idle_exit,
            log,
            log_json,
            log_file,
            otlp_endpoint,
        } = self;
        let mut arguments: Vec<OsString> = Vec::new();
        let mut flag = |name: &str, value: Option<OsString>| {
            if let Some(value) = value {
                arguments.extend([name.into(), value]);
            }
        };
        flag("--profile", Some(profile.name.into()));
        flag("--listen", Some(listen.to_string().into()));
        flag("--grpc-listen", grpc_listen.map(|listen| listen.to_string().into()));
        flag("--tls-cert", tls_cert.clone().map(Into::into));
        flag("--tls-key", tls_key.clone().map(Into::into));
        allow_hosts.iter().for_each(|name| flag("--allow-host", Some(name.into())));
        flag("--idle-exit", idle_exit.map(|time| format!("{}s", time.as_secs()).into()));
        flag("--log", Some(log.into()));
        flag("--log-file", log_file.clone().map(Into::into));
        flag("--otlp-endpoint", otlp_endpoint.as_ref().map(|url| url.to_string().into()));
        arguments.extend(log_json.then(|| "--log-json".into()));
        arguments
    }

    /// Returns the server configuration of these flags.
    pub fn config(&self) -> ServerConfig {
        let tls = self.tls_cert.clone().zip(self.tls_key.clone());
        ServerConfig {
            listen: self.listen,
            grpc_listen: self.grpc_listen,
            allow_hosts: self.allow_hosts.clone(),
            tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
            idle_exit: self.idle_exit,
            ..ServerConfig::default()
        }
    }
}

/// Parses a profile name.
fn parse_profile(name: &str) -> Result<&'static DeploymentProfile, String> {
    DeploymentProfile::find(name).ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        format!("unknown profile: choose from {}", names.join(", "))
    })
}

/// Parses a duration such as `90s`, `10m` or `2h`.
pub fn parse_duration(text: &str) -> Result<Duration, BadDuration> {
    let bad = || BadDuration(text.chars().take(40).collect());
    let unit = text.chars().next_back().ok_or_else(bad)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        _ => return Err(bad()),
    };
    let number: u64 = text.get(..text.len() - 1).and_then(|number| number.parse().ok()).ok_or_else(bad)?;
    number
        .checked_mul(seconds)
        .filter(|seconds| (1..=604_800).contains(seconds))
        .map(Duration::from_secs)
        .ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Whole {
        #[command(flatten)]
        serve: ServeArgs,
    }

    fn parsed(arguments: impl IntoIterator<Item = OsString>) -> ServeArgs {
        <Whole as clap::Parser>::parse_from(std::iter::once("palyrad".into()).chain(arguments)).serve
    }

    #[test]
    fn arguments_of_flags_mean_the_same_flags() {
        for line in [
            "",
            "--profile single-vm --listen 0.0.0.0:1 --grpc-listen [::1]:2 --tls-cert a.pem --tls-key b.pem",
            "--allow-host one --allow-host two --idle-exit 10m --log palyra=debug,warn --log-json",
            "--log-file a.log --otlp-endpoint http://127.0.0.1:4318",
        ] {
            let before = parsed(line.split_whitespace().map(Into::into));
            let after = parsed(before.to_arguments());
            assert_eq!(format!("{before:?}"), format!("{after:?}"), "{line}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(parse_duration("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_duration("90s"), Ok(Duration::from_secs(90)));
        for bad in ["", "m", "10", "-1s", "0s", "1d", "1é", "99999999999999999999h", "9999999h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
