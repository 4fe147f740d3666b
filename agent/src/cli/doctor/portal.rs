//! The way to the portal, step by step, its clock, and whether it knows this host.

use std::io;
use std::path::PathBuf;

use domain::error::ErrorCode;
use time::{Duration, OffsetDateTime};

use super::finding::Finding;
use crate::clean::clean;
use crate::portal::probe::{NoHealth, connect, resolve};
use crate::portal::{Address, Portal, PortalError};
use crate::secret::Credential;
use crate::state::{StateDir, StateError};

/// A clock may be off by this much.
const CLOCK_OFF: Duration = Duration::seconds(10);
const ENROL: &str = "Get a code in the portal under Admin, Add a host, and run: sudo berth enrol URL";

/// What is known about the portal before anything is asked.
#[derive(Default)]
pub(super) struct Known {
    /// Its address.
    pub(super) server: Option<String>,
    pub(super) insecure: bool,
    pub(super) ca_file: Option<PathBuf>,
    pub(super) credential: Option<Credential>,
}

/// Reads the enrolment; fills in what the command line left open.
pub(super) fn check_enrolment(state: &StateDir, known: &mut Known) -> Finding {
    let enrolment = match state.enrolment() {
        Ok(Some(enrolment)) => enrolment,
        Ok(None) => {
            return Finding::problem("enrolment", "This host is not enrolled.", "There is no credential.", ENROL);
        }
        Err(StateError::Io { cause, .. }) if cause.kind() == io::ErrorKind::PermissionDenied => {
            return Finding::skipped(
                "enrolment",
                "The credential is for the agent alone; sudo berth doctor looks at it.",
            );
        }
        Err(error @ StateError::TooOpen { .. }) => {
            return Finding::problem(
                "enrolment",
                "The credential may be read by other accounts.",
                format!("{error}."),
                "Run that chmod, then restart berth-agent.",
            );
        }
        Err(error) => {
            return Finding::problem("enrolment", "The credential cannot be used.", format!("{error}."), ENROL);
        }
    };
    let found = format!("Enrolled as {} with {}.", clean(&enrolment.host_name), clean(&enrolment.server));
    known.server.get_or_insert(enrolment.server);
    known.insecure |= enrolment.insecure;
    known.ca_file = known.ca_file.take().or(enrolment.ca_file);
    known.credential = Some(enrolment.credential);
    Finding::ok("enrolment", found)
}

/// The steps to the portal, each by its name, up to the one that fails.
pub(super) fn check_way(known: &Known) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(server) = &known.server else {
        return skip(
            findings,
            "The address of the portal is not known; sudo berth doctor reads it, or name it with --server.",
        );
    };
    let portal = Address::parse(server, known.insecure)
        .map_err(|error| error.to_string())
        .and_then(|address| Portal::new(address, known.ca_file.as_deref()).map_err(|error| error.to_string()));
    let portal = match portal {
        Ok(portal) => portal,
        Err(error) => {
            findings.push(Finding::problem("dns", "The portal's address cannot be used.", format!("{error}."), ENROL));
            return skip(findings, "There is no usable address.");
        }
    };
    if portal.has_proxy() {
        findings.push(Finding::skipped("dns", "Requests go through a proxy that the environment names."));
        findings.push(Finding::skipped("tcp", "Requests go through a proxy that the environment names."));
    } else if let Err(()) = reach(portal.address(), &mut findings) {
        return skip(findings, "The portal is not reached.");
    }
    ask(&portal, known, &mut findings);
    findings
}

/// Names the checks that were not come to.
fn skip(mut findings: Vec<Finding>, why: &str) -> Vec<Finding> {
    for check in ["dns", "tcp", "tls", "http", "clock", "credential"] {
        if !findings.iter().any(|finding| finding.check == check) {
            findings.push(Finding::skipped(check, why));
        }
    }
    findings
}

fn reach(address: &Address, findings: &mut Vec<Finding>) -> Result<(), ()> {
    let (host, port) = (clean(address.host()), address.port());
    let addresses = resolve(address.host(), port).map_err(|why| {
        findings.push(Finding::problem(
            "dns",
            format!("The name {host} cannot be resolved."),
            format!("{why}."),
            format!(
                "Is the name right? getent hosts {host} asks the same resolver; its servers are in /etc/resolv.conf."
            ),
        ));
    })?;
    findings.push(Finding::ok("dns", format!("{host} is {}.", addresses[0].ip())));
    let reached = connect(&addresses).map_err(|why| {
        findings.push(Finding::problem(
            "tcp",
            format!("Nobody takes a connection to {host} on port {port}."),
            format!("{why}."),
            "Does the portal run, and does it listen beyond its own machine (BERTH_LISTEN)? Does a firewall on the way let \
             this port through?",
        ));
    })?;
    findings.push(Finding::ok("tcp", format!("{reached} takes connections.")));
    Ok(())
}

fn ask(portal: &Portal, known: &Known, findings: &mut Vec<Finding>) {
    let tls = if portal.address().is_tls() {
        Finding::ok("tls", "The portal's certificate is trusted.")
    } else if portal.address().is_loopback() {
        Finding::skipped("tls", "The portal is on this machine, so plain HTTP will do.")
    } else {
        Finding::skipped("tls", "Plain HTTP, because somebody has said that everybody on the way is trusted.")
    };
    let (found, why) = match portal.health() {
        Ok(health) => {
            findings.push(tls);
            findings.push(http(&health.status, &health.version));
            findings.push(clock(health.date, OffsetDateTime::now_utc()));
            findings.push(credential(portal, known.credential.as_ref()));
            return;
        }
        Err(NoHealth::Tls(why)) => {
            findings.push(Finding::problem(
                "tls",
                "No safe connection to the portal comes about.",
                format!("The reason: {why}."),
                "Enrol with --ca-file where the portal's certificate is signed by an authority of your own; set the clock \
                 where it is wrong; else let the portal's operator look at its certificate.",
            ));
            *findings = skip(std::mem::take(findings), "There is no safe connection.");
            return;
        }
        Err(NoHealth::Http(why)) => ("The portal does not answer as one.", why),
    };
    findings.push(tls);
    let fix =
        "Is the address right, with its port and path? A proxy in front of the portal must pass /healthz and /api on.";
    findings.push(Finding::problem("http", found, format!("{why}."), fix));
    *findings = skip(std::mem::take(findings), "The portal does not answer.");
}

fn http(status: &str, version: &str) -> Finding {
    if status == "ok" {
        return Finding::ok("http", format!("Berth {version} answers."));
    }
    Finding::problem(
        "http",
        format!("Berth {version} answers, but is not ready ({status})."),
        "Its database does not answer, so it takes no reports; launches here are decided with the bookings known last.",
        "Let the portal's operator look at its log.",
    )
}

fn clock(portal: Option<OffsetDateTime>, here: OffsetDateTime) -> Finding {
    let Some(portal) = portal else {
        return Finding::skipped("clock", "The portal has not said what time it is.");
    };
    let ahead = here - portal;
    if ahead.abs() <= CLOCK_OFF {
        return Finding::ok("clock", "This machine's clock agrees with the portal's.");
    }
    let side = if ahead.is_positive() { "ahead of" } else { "behind" };
    Finding::problem(
        "clock",
        format!("This machine's clock is {} s {side} the portal's.", ahead.abs().whole_seconds()),
        "Bookings follow the portal's clock, so what people read here and there differs; certificates may seem expired.",
        "sudo timedatectl set-ntp true; timedatectl says whether it works. If it is the portal's clock, there.",
    )
}

fn credential(portal: &Portal, credential: Option<&Credential>) -> Finding {
    let Some(credential) = credential else {
        return Finding::skipped(
            "credential",
            "The credential cannot be read by this account; sudo berth doctor tries it.",
        );
    };
    let error = match portal.whoami(credential) {
        Ok(host) => {
            return Finding::ok("credential", format!("The portal knows this host as {}.", clean(&host.host_name)));
        }
        Err(error) => error,
    };
    match &error {
        PortalError::Refused { code: Some(ErrorCode::RevokedAgent), .. } => Finding::problem(
            "credential",
            "The portal has revoked this host's credential.",
            "An administrator has done so.",
            ENROL,
        ),
        PortalError::Refused { code: Some(ErrorCode::UnknownAgent), .. } => Finding::problem(
            "credential",
            "The portal does not know this host's credential.",
            "The host was enrolled anew from elsewhere, or the portal was set up anew or restored from an older backup.",
            ENROL,
        ),
        PortalError::Refused { status: 404, .. } => {
            Finding::skipped("credential", "The portal is of an older version, which cannot be asked.")
        }
        _ => Finding::problem(
            "credential",
            "The portal could not be asked about the credential.",
            format!("The reason: {error}."),
            "Try again in a while.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::State;
    use time::macros::datetime;

    #[test]
    fn clocks_that_differ_say_how_and_by_how_much() {
        let noon = datetime!(2026-11-30 12:00 UTC);
        assert_eq!(clock(Some(noon), noon + Duration::seconds(10)).state, State::Ok);
        assert_eq!(
            clock(Some(noon), noon + Duration::minutes(2)).found,
            "This machine's clock is 120 s ahead of the portal's."
        );
        assert_eq!(
            clock(Some(noon), noon - Duration::seconds(11)).found,
            "This machine's clock is 11 s behind the portal's."
        );
        assert_eq!(clock(None, noon).state, State::Skipped);
        assert_eq!((http("ok", "1").state, http("degraded", "1").state), (State::Ok, State::Problem));
    }
}
