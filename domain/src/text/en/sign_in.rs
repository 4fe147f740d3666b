//! English for the pages before one is signed in.

use crate::text::SignInText;

/// The words.
pub const TEXT: SignInText = SignInText {
    title: "Sign in",
    heading: "Sign in to book cards",
    name: "Name",
    name_hint: "Small letters, digits, dot, dash or underscore",
    display_name: "Full name",
    display_name_hint: "Others see it on your bookings",
    password: "Password",
    password_hint: |least| format!("At least {least} characters"),
    sign_in: "Sign in",
    forgotten: "Forgotten your password? Ask an administrator for a new one.",
    no_account: "No account yet?",
    to_sign_up: "Make one",
    sign_up_title: "Make an account",
    sign_up_heading: "Make an account",
    sign_up: "Make account",
    have_account: "Have an account?",
    to_sign_in: "Sign in",
    setup_title: "Set up",
    setup_heading: "Set up this portal",
    setup_why: "Make the first administrator. It can be done once, with the code that the server printed at its start.",
    code: "Set-up code",
    code_hint: "The link in the server's output fills it in",
    set_up: "Make administrator",
    needs_setup: "This portal is not set up yet.",
    needs_setup_why: "Open the link that the server printed at its start, or type its code by hand.",
    to_setup: "Set it up",
    setup_done: "This portal is set up.",
    setup_done_why: "There is an administrator already. Sign in, or make an account.",
    glance: "A berth for every job",
    glance_why: "See what is free, book it, and start on exactly those cards. Hosts, cards and people are shown after \
         you sign in.",
    not_signed_in: "Not signed in.",
};
