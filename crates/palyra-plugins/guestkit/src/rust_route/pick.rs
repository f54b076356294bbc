//! The order of the routes.

use super::{Refusal, Route, RustToolchain, TARGET, WantedRoute};
use crate::error::GuestkitError;

/// Tries the wanted routes in order; the error lists why each did not work.
pub(super) fn first_working(
    wanted: WantedRoute,
    mut attempt: impl FnMut(Route) -> Result<RustToolchain, String>,
) -> Result<RustToolchain, GuestkitError> {
    let routes = match wanted {
        WantedRoute::Auto => vec![Route::Installed, Route::Rustup, Route::Debian],
        WantedRoute::Only(route) => vec![route],
    };
    let mut refusals = Vec::new();
    for route in routes {
        match attempt(route) {
            Ok(toolchain) => return Ok(toolchain),
            Err(reason) => refusals.push(Refusal { route, reason }),
        }
    }
    Err(GuestkitError::NoRustRoute { target: TARGET, refusals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(route: Route) -> RustToolchain {
        RustToolchain {
            route,
            cargo: "cargo".into(),
            rustc: "rustc".into(),
            version: "rustc".to_owned(),
            own_library: None,
        }
    }

    /// Checks which route is picked and which were tried, if only those in `working` work.
    fn check(wanted: &str, working: &[Route], expected: Option<Route>, tried: &[Route]) {
        let mut attempts = Vec::new();
        let picked = first_working(wanted.parse().unwrap(), |route| {
            attempts.push(route);
            if working.contains(&route) { Ok(toolchain(route)) } else { Err("no".to_owned()) }
        });
        assert_eq!(picked.ok().map(|toolchain| toolchain.route), expected, "{wanted} {working:?}");
        assert_eq!(attempts, tried, "{wanted} {working:?}");
    }

    #[test]
    fn the_first_working_route_is_taken_and_nothing_after_it_is_tried() {
        use Route::{Debian, Installed, Rustup};
        check("auto", &[Installed, Rustup, Debian], Some(Installed), &[Installed]);
        check("auto", &[Rustup, Debian], Some(Rustup), &[Installed, Rustup]);
        check("auto", &[Debian], Some(Debian), &[Installed, Rustup, Debian]);
        check("auto", &[], None, &[Installed, Rustup, Debian]);
        check("", &[Debian], Some(Debian), &[Installed, Rustup, Debian]);
    }

    #[test]
    fn a_forced_route_is_the_only_one_tried() {
        use Route::{Debian, Installed, Rustup};
        check("debian", &[Installed, Rustup, Debian], Some(Debian), &[Debian]);
        check("rustup", &[Installed, Debian], None, &[Rustup]);
        check("installed", &[Installed], Some(Installed), &[Installed]);
    }

    #[test]
    fn the_error_says_why_each_route_failed() {
        let error = first_working(WantedRoute::Auto, |route| Err(format!("no {route} here"))).unwrap_err();
        let GuestkitError::NoRustRoute { refusals, .. } = error else { panic!("{error:?}") };
        let reasons: Vec<_> = refusals.into_iter().map(|refusal| refusal.reason).collect();
        assert_eq!(reasons, ["no installed here", "no rustup here", "no debian here"]);
    }

    #[test]
    fn other_words_are_not_routes() {
        for value in ["nix", "Debian", "auto "] {
            assert!(
                matches!(value.parse::<WantedRoute>(), Err(GuestkitError::UnknownRoute { .. })),
                "{value}"
            );
        }
    }
}
