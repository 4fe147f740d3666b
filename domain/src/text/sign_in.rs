//! Signing in and up, and the first set-up. Nothing here tells a stranger about hosts, cards or people.

/// Words of the three pages before one is signed in.
#[derive(Debug)]
pub struct SignInText {
    /// Name of the sign-in page.
    pub title: &'static str,
    /// Its heading.
    pub heading: &'static str,
    /// Sign-in name.
    pub name: &'static str,
    /// What a sign-in name may be made of.
    pub name_hint: &'static str,
    /// Name that others see.
    pub display_name: &'static str,
    /// What it is for.
    pub display_name_hint: &'static str,
    /// Password.
    pub password: &'static str,
    /// The argument is the least length.
    pub password_hint: fn(usize) -> String,
    /// The button.
    pub sign_in: &'static str,
    /// Way out for those who have forgotten it.
    pub forgotten: &'static str,
    /// Before the link to sign-up.
    pub no_account: &'static str,
    /// That link.
    pub to_sign_up: &'static str,
    /// Name of the sign-up page.
    pub sign_up_title: &'static str,
    /// Its heading.
    pub sign_up_heading: &'static str,
    /// The button.
    pub sign_up: &'static str,
    /// Before the link back.
    pub have_account: &'static str,
    /// That link.
    pub to_sign_in: &'static str,
    /// Name of the set-up page.
    pub setup_title: &'static str,
    /// Its heading.
    pub setup_heading: &'static str,
    /// What is made here.
    pub setup_why: &'static str,
    /// The one-time code.
    pub code: &'static str,
    /// Where it is found.
    pub code_hint: &'static str,
    /// The button.
    pub set_up: &'static str,
    /// First words where no administrator exists yet.
    pub needs_setup: &'static str,
    /// What to do then.
    pub needs_setup_why: &'static str,
    /// Leads to the set-up page.
    pub to_setup: &'static str,
    /// First words where set-up is over.
    pub setup_done: &'static str,
    /// What to do then.
    pub setup_done_why: &'static str,
    /// What Berth is for: heading.
    pub glance: &'static str,
    /// What Berth is for.
    pub glance_why: &'static str,
    /// Heading of a refusal that is not about the name or the password.
    pub not_signed_in: &'static str,
}
