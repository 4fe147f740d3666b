//! The form that makes an enrolment code, and the code with its two steps.

use domain::text::t;
use domain::wire::page::{Admin, AgentProgram};
use leptos::prelude::*;

use super::desk::Part;
use crate::components::code_maker::{CodeMaker, Slot};
use crate::components::copy::CopyBox;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};

/// Adding a host.
#[component]
pub fn AddHost(
    facts: Admin,
    /// The portal speaks plain HTTP beyond its machine: the agent must be told that this is meant.
    insecure: bool,
) -> impl IntoView {
    let words = &t().admin;
    view! {
        <Part id="add" heading=words.add note=words.add_note>
            <div class="pad">
                <p class="note unscripted">{t().booking.needs_scripts}</p>
                <CodeMaker>
                    <div class="form inline scripted">
                        <div class="field">
                            <label for="host_name">{words.host_name}</label>
                            <input
                                class="input"
                                id="host_name"
                                autocomplete="off"
                                autocapitalize="none"
                                spellcheck="false"
                                maxlength="63"
                                required
                                aria-describedby="host_name-note host_name-hint"
                            />
                            <small class="err" id="host_name-note" role="alert" data-wrong=""></small>
                            <small id="host_name-hint">{words.host_name_hint}</small>
                        </div>
                        <button type="button" class="btn primary" data-make="">
                            {words.make_code}
                        </button>
                    </div>
                    <div role="status">
                        <div class="enrol" data-made="" hidden>
                            <h3>{words.code_for} " " <span data-slot=Slot::Host.mark()></span></h3>
                            {steps(&facts, insecure)}
                        </div>
                    </div>
                </CodeMaker>
            </div>
        </Part>
    }
}

fn steps(facts: &Admin, insecure: bool) -> AnyView {
    let words = &t().admin;
    let enrol = format!("sudo berth enrol {}{}", facts.portal_url, if insecure { " --insecure" } else { "" });
    view! {
        <ol class="twosteps">
            <li>
                <h4>{words.step_copy}</h4>
                {download(facts)}
            </li>
            <li>
                <h4>{words.step_run}</h4>
                <CopyBox text=enrol name=words.step_run />
                <CopyBox text="" fill=Slot::Code name=words.code once=true />
                <div class="note warn">
                    <Icon name="lock" />
                    <strong>{words.code_once}</strong>
                    " "
                    {words.code_valid}
                    " "
                    <b data-slot=Slot::Until.mark()></b>
                    ". "
                    {words.code_rest}
                </div>
            </li>
        </ol>
    }
    .into_any()
}

/// How the program gets to the host. Its hash stands in the command: it came over the administrator's own session.
fn download(facts: &Admin) -> AnyView {
    let words = &t().admin;
    let url = &facts.portal_url;
    match &facts.program {
        AgentProgram::Ready { sha256 } => {
            let text = format!(
                "curl -fsSLO {url}/download/berth\n\
                 echo '{sha256}  berth' | sha256sum -c &&\n  sudo install -m 755 berth /usr/local/bin/berth"
            );
            view! {
                <p class="ink2 sm">{(words.step_copy_how)(&facts.platform)}</p>
                <CopyBox text name=words.step_copy />
            }
            .into_any()
        }
        AgentProgram::NotReady => {
            view! { <Notice tone=Tone::Warn lead=words.program_not_ready.to_owned() /> }.into_any()
        }
        AgentProgram::Missing => view! {
            <Notice tone=Tone::Warn lead=words.no_program.to_owned() />
            <p class="ink2 sm">{words.no_program_how}</p>
        }
        .into_any(),
    }
}
