//! What stands around every page: navigation, account menu, strips, failures that any page can have.

/// Words of the frame.
#[derive(Debug)]
pub struct FrameText {
    /// The product.
    pub brand: &'static str,
    /// Label of the brand's link.
    pub brand_home: &'static str,
    /// Title of a document; the argument is the page's name.
    pub title: fn(&str) -> String,
    /// Jumps over the navigation.
    pub skip: &'static str,
    /// Label of the navigation.
    pub main_nav: &'static str,
    /// The live page.
    pub now: &'static str,
    /// The calendar.
    pub calendar: &'static str,
    /// The viewer's bookings.
    pub bookings: &'static str,
    /// The list of hosts.
    pub hosts: &'static str,
    /// The booking form.
    pub book: &'static str,
    /// The administrators' page.
    pub admin: &'static str,
    /// The viewer's account.
    pub account: &'static str,
    /// Bookings, where room is short.
    pub bookings_short: &'static str,
    /// Label of the account menu; the argument is the viewer's name.
    pub account_menu: fn(&str) -> String,
    /// Ends the session.
    pub sign_out: &'static str,
    /// The page receives changes as they happen.
    pub live: &'static str,
    /// The page shows one moment.
    pub still: &'static str,
    /// The stream is being opened again.
    pub connecting: &'static str,
    /// First words of the strip that says that the stream is lost.
    pub offline: &'static str,
    /// Its sentence; the argument is the time of the last values.
    pub offline_values: fn(&str) -> String,
    /// Why an act is disabled meanwhile.
    pub offline_act: &'static str,
    /// First words of the strip that says that the session is over.
    pub signed_out: &'static str,
    /// Its sentence.
    pub signed_out_why: &'static str,
    /// Opens the sign-in page beside this one.
    pub sign_in_beside: &'static str,
    /// Tries at once.
    pub try_now: &'static str,
    /// First words of the strip about plain HTTP.
    pub insecure: &'static str,
    /// Its sentence.
    pub insecure_why: &'static str,
    /// Label of the theme button when nothing is known yet.
    pub theme: &'static str,
    /// Label: follows the system.
    pub theme_system: &'static str,
    /// Label: always light.
    pub theme_light: &'static str,
    /// Label: always dark.
    pub theme_dark: &'static str,
    /// Heading of a page that is not there.
    pub missing: &'static str,
    /// What to do about it.
    pub missing_why: &'static str,
    /// Leads to the live page.
    pub to_now: &'static str,
    /// Heading of a page whose data could not be fetched.
    pub failed: &'static str,
    /// The server cannot be reached.
    pub unreachable: &'static str,
    /// Fetches the page again.
    pub reload: &'static str,
    /// Where to find more; the argument is the request's id.
    pub request: fn(&str) -> String,
}
