//! Accounts, sessions, set-up, hosts' enrolment, whose OS account is whose.

mod accounts;
mod enrolment;
mod http;
mod links;
mod matrix;
mod program;
mod sessions;
mod setup;
mod sign_in;
mod throttle;
