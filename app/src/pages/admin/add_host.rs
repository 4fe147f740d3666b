//! The form that makes an enrolment code, and the code with its two steps.

use domain::text::t;
use leptos::prelude::*;

use crate::components::code_maker::{CodeMaker, Slot};
use crate::components::copy::CopyBox;
use crate::components::icon::Icon;

/// Adding a host.
#[component]
pub fn AddHost() -> impl IntoView {
    let words = &t().admin;
    view! {
        <section class="box" id="add" aria-labelledby="add-h">
            <header>
                <h2 id="add-h">{words.add}</h2>
                <p>{words.add_note}</p>
            </header>
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
                            {steps()}
                        </div>
                    </div>
                </CodeMaker>
            </div>
        </section>
    }
}

fn steps() -> AnyView {
    let words = &t().admin;
    view! {
        <ol class="twosteps">
            <li>
                <h4>{words.step_copy}</h4>
                <p class="ink2 sm">{words.step_copy_how}</p>
            </li>
            <li>
                <h4>{words.step_run}</h4>
                <CopyBox text="sudo berth enrol " fill=Slot::Portal name=words.step_run />
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
