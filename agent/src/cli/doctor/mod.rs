//! `berth doctor`: looks for whatever keeps a host from working, and says what to do about each.
//!
//! - `machine`: driver and devices; `nvml`: NVML and the cards
//! - `portal`: the way to it; `agent`: the one that runs here

mod agent;
mod finding;
mod machine;
mod nvml;
mod portal;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use domain::wire::agent_v1::NvmlState;
use serde::Serialize;

use super::{EXIT_FAILED, NvmlOption, PortalOptions, SocketOption, StateOption, print, say};
use crate::service::unit::ACCOUNT;
use crate::state::StateDir;
use finding::{Finding, State};
use machine::Roots;
use portal::Known;

/// Look for what keeps this host from working, and say what to do
///
/// Checks the driver, the cards, the way to the portal and the agent. As root it sees more. Ends with 0 where nothing is
/// wrong and with 1 where something is.
#[derive(Debug, Args)]
pub struct Options {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    state: StateOption,

    #[command(flatten)]
    socket: SocketOption,

    /// Address of the portal [default: the one given to `berth enrol`]
    #[arg(long, env = "BERTH_SERVER", value_name = "URL")]
    server: Option<String>,

    #[command(flatten)]
    portal: PortalOptions,

    #[command(flatten)]
    nvml: NvmlOption,

    /// Account that the agent runs as
    #[arg(long, value_name = "NAME", default_value = ACCOUNT)]
    account: String,

    /// Look here instead of /proc
    #[arg(long, hide = true, default_value = "/proc")]
    proc: PathBuf,

    /// Look here instead of /sys
    #[arg(long, hide = true, default_value = "/sys")]
    sys: PathBuf,

    /// Look here instead of /dev
    #[arg(long, hide = true, default_value = "/dev")]
    dev: PathBuf,
}

#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    checks: &'a [Finding],
}

pub(super) fn run(options: &Options) -> ExitCode {
    let findings = look(options);
    let problems = findings.iter().filter(|finding| finding.state == State::Problem).count();
    let text = if options.json {
        match serde_json::to_string_pretty(&Report { ok: problems == 0, checks: &findings }) {
            Ok(json) => json,
            Err(error) => {
                say(&format!("berth: {error}."));
                return ExitCode::from(EXIT_FAILED);
            }
        }
    } else {
        let verdict = match problems {
            0 => "Nothing is wrong.".to_owned(),
            1 => "One problem.".to_owned(),
            n => format!("{n} problems. Begin with the first: others may follow from it."),
        };
        findings.iter().map(Finding::render).collect::<String>() + &verdict
    };
    let printed = print(&text);
    if problems == 0 { printed } else { ExitCode::from(EXIT_FAILED) }
}

fn look(options: &Options) -> Vec<Finding> {
    let roots = Roots { proc: options.proc.clone(), sys: options.sys.clone(), dev: options.dev.clone() };
    let (agent, status) = agent::check_agent(&options.socket.socket);
    let mut findings = vec![roots.check_driver(), roots.check_nouveau()];
    if matches!(status.as_ref().and_then(|status| status.nvml.as_ref()), Some(NvmlState::Paused { .. })) {
        // Opening it now would be in the way of what it was let go of for.
        findings
            .push(Finding::skipped("nvml", "The agent has let go of NVML, by berth agent pause; so nobody opens it."));
    } else {
        findings.extend(nvml::check(options.nvml.nvml_library.clone()));
    }
    findings.push(roots.check_devices(&options.account));
    findings.push(roots.check_processes());

    let mut known = Known {
        server: options.server.clone(),
        insecure: options.portal.insecure,
        ca_file: options.portal.ca_file.clone(),
        credential: None,
    };
    findings.push(portal::check_enrolment(&StateDir::existing(&options.state.state_dir), &mut known));
    // Whoever may not read the credential still learns from the agent where the portal is.
    known.server = known
        .server
        .or_else(|| status.as_ref().map(|status| status.portal_url.clone()).filter(|address| !address.is_empty()));
    findings.extend(portal::check_way(&known));
    findings.push(agent);
    findings.push(agent::check_account(status.as_ref()));
    findings
}
