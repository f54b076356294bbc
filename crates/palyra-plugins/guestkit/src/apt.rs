//! Installation of Debian packages, if this user is permitted to.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::process::{find_program, run};

const UPDATE_LIMIT: Duration = Duration::from_secs(180);
const INSTALL_LIMIT: Duration = Duration::from_secs(900);
const QUERY_LIMIT: Duration = Duration::from_secs(30);

/// Installs `packages`, or returns the reason why that is not possible.
pub(crate) fn install_packages(packages: &[&str], say: &dyn Fn(&str)) -> Result<(), String> {
    let apt = Apt::find()?;
    if !packages.iter().all(|package| is_known(package)) {
        say("apt-get update");
        // Old package lists may be sufficient; otherwise the install below reports the missing package.
        let _ = run("apt-get update", apt.command(&["update", "-qq"]), UPDATE_LIMIT);
    }
    say(&format!("apt-get install {}", packages.join(" ")));
    let mut install =
        apt.command(&["install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]);
    install.args(packages);
    run("apt-get install", install, INSTALL_LIMIT).map(drop).map_err(|error| error.to_string())
}

/// Checks that packages can be installed on this machine; the error is the reason why not.
pub(crate) fn can_install() -> Result<(), String> {
    Apt::find().map(drop)
}

/// Returns whether the package lists of this machine have `package`.
pub(crate) fn is_known(package: &str) -> bool {
    let mut show = Command::new("apt-cache");
    show.args(["show", package]);
    run("apt-cache show", show, QUERY_LIMIT).is_ok()
}

struct Apt {
    program: PathBuf,
    sudo: Option<PathBuf>,
}

impl Apt {
    fn find() -> Result<Self, String> {
        let program = find_program("apt-get").ok_or("`apt-get` is not installed")?;
        if rustix::process::geteuid().is_root() {
            return Ok(Self { program, sudo: None });
        }
        let sudo = find_program("sudo").ok_or(
            "installing packages requires root, and `sudo` is not \
            installed",
        )?;
        let mut probe = Command::new(&sudo);
        probe.args(["-n", "true"]);
        run("sudo", probe, QUERY_LIMIT)
            .map_err(|_| "installing packages requires root, and `sudo` asks for a password")?;
        Ok(Self { program, sudo: Some(sudo) })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // sudo drops the environment, so `env` sets it on the other side.
        let mut command = match &self.sudo {
            Some(sudo) => {
                let mut command = Command::new(sudo);
                command.args(["-n", "env"]);
                command
            }
            None => Command::new("env"),
        };
        command.arg("DEBIAN_FRONTEND=noninteractive").arg(&self.program).args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> Vec<String> {
        std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn sudo_never_asks_and_the_setting_reaches_apt() {
        let root = Apt { program: "/usr/bin/apt-get".into(), sudo: None };
        assert_eq!(
            words(&root.command(&["update"])),
            ["env", "DEBIAN_FRONTEND=noninteractive", "/usr/bin/apt-get", "update"]
        );
        let user = Apt { program: "/usr/bin/apt-get".into(), sudo: Some("/usr/bin/sudo".into()) };
        assert_eq!(
            words(&user.command(&["update"])),
            ["/usr/bin/sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "/usr/bin/apt-get", "update"]
        );
    }
}
