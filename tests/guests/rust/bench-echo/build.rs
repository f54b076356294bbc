//! It needs hardly any stack; what that leaves of its two pages holds an input of 64 KiB without growing.

fn main() {
    println!("cargo::rustc-link-arg-cdylib=-zstack-size=16384");
    println!("cargo::rustc-link-arg-cdylib=--initial-memory=131072");
    println!("cargo::rerun-if-changed=build.rs");
}
