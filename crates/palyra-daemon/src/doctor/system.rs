//! Checks the resources of the machine.

use std::fs;
use std::io;
use std::net::TcpListener;

use super::{Check, Subject};
use crate::server::{Endpoint, socket_path};

/// Minimum number of memory mappings; many concurrent guests need more than fewer provide.
const LEAST_MAPS: u64 = 65_530;
/// Minimum number of open files; many concurrent connections need more than fewer provide.
const LEAST_FILES: u64 = 1_024;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    vec![maps(subject), files(subject), space(subject), port(subject)]
}

fn maps(subject: &Subject) -> Check {
    let read = fs::read_to_string(subject.proc.join("sys/vm/max_map_count"));
    match read.ok().and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(most) if most < LEAST_MAPS => Check::warning(
            "system.map_count",
            format!("a process can have {most} memory mappings, fewer than {LEAST_MAPS}"),
        )
        .advise("sysctl -w vm.max_map_count=262144"),
        Some(most) => Check::ok("system.map_count", format!("a process can have {most} memory mappings")),
        None => Check::note("system.map_count", "the limit on memory mappings is unknown on this system"),
    }
}

fn files(subject: &Subject) -> Check {
    match subject.open_files {
        Some(most) if most < LEAST_FILES => Check::warning(
            "system.open_files",
            format!("a process can open {most} files, fewer than {LEAST_FILES}"),
        )
        .advise("raise the limit: `ulimit -n 65536`, or `LimitNOFILE=65536` in the unit"),
        Some(most) => Check::ok("system.open_files", format!("a process can open {most} files")),
        None => Check::ok("system.open_files", "a process can open any number of files"),
    }
}

fn space(subject: &Subject) -> Check {
    let there = subject.root.path().ancestors().find(|path| path.exists());
    let free = there.and_then(|path| rustix::fs::statvfs(path).ok());
    match free.map(|free| free.f_bavail.saturating_mul(free.f_frsize)) {
        Some(free) if free < subject.least_free_bytes => {
            let evidence = format!("{} free, less than {}", size(free), size(subject.least_free_bytes));
            Check::warning("system.disk_space", evidence).advise("free disk space, or move the state root")
        }
        Some(free) => Check::ok("system.disk_space", format!("{} free", size(free))),
        None => Check::note("system.disk_space", "the free disk space is unknown on this system"),
    }
}

/// Formats a size with one decimal place.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut tenths = bytes.saturating_mul(10) / 1_024;
    let mut units = UNITS.iter().peekable();
    while let Some(unit) = units.next() {
        if tenths < 10_240 || units.peek().is_none() {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1_024;
    }
    format!("{bytes} bytes")
}

/// Checks that the port is free or used by the daemon of this state root.
fn port(subject: &Subject) -> Check {
    let running = Endpoint::read(&subject.root).ok().flatten().filter(|_| answers(subject));
    if let Some(endpoint) = running {
        return Check::ok(
            "system.port",
            format!("the daemon of this state root listens on {}", endpoint.url),
        );
    }
    let listen = subject.listen;
    match TcpListener::bind(listen) {
        Ok(_) => Check::ok("system.port", format!("{listen} is available")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Check::warning("system.port", format!("another program listens on {listen}"))
                .advise("stop it, or start the daemon with another `--listen`")
        }
        Err(error) => Check::warning("system.port", format!("cannot listen on {listen}: {error}"))
            .advise("start the daemon with another `--listen`"),
    }
}

/// Returns whether a daemon of this state root accepts connections.
pub(super) fn answers(subject: &Subject) -> bool {
    let path = palyra_common::fs::ShortPath::of(&socket_path(&subject.root));
    path.and_then(|short| std::os::unix::net::UnixStream::connect(short.path())).is_ok()
}
