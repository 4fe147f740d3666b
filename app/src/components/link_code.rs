//! A code with which somebody proves an account on a host.

use domain::text::t;
use leptos::prelude::*;

use crate::components::code_maker::{CodeMaker, Slot};
use crate::components::copy::CopyBox;

/// The button that makes a code, and the code with the command to give it to.
#[component]
pub fn LinkCode(
    /// Name of the host on which to run it; `None` for any.
    #[prop(optional_no_strip)]
    host: Option<String>,
) -> impl IntoView {
    let words = &t().booking;
    let label = host.map_or_else(|| words.run_anywhere.to_owned(), |host| (words.run_there)(&host));
    view! {
        <CodeMaker>
            <div class="linkcode">
                <div class="scripted">
                    <button type="button" class="btn" data-make="">
                        {words.make_code}
                    </button>
                </div>
                <p class="unscripted">{words.needs_scripts}</p>
                <p class="err" role="alert" data-wrong=""></p>
                <div role="status">
                    <div class="stack tight" data-made="" hidden>
                        <CopyBox text="berth link " fill=Slot::Code label once=true />
                        <p class="muted sm">
                            {words.code_valid} " " <b data-slot=Slot::Until.mark()></b> ". " {words.code_once}
                        </p>
                    </div>
                </div>
            </div>
        </CodeMaker>
    }
}
