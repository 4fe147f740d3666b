//! The only place with SQL. Rows are private to their module and become domain types on the way out.

pub mod audit;
pub mod booking_history;
pub mod booking_list;
pub mod booking_people;
pub mod calendar;
pub mod card_care;
pub mod card_watch;
pub mod change;
pub mod cluster;
pub mod constraint;
pub mod decode;
pub mod ending;
mod failure;
pub mod groups;
pub mod host_accounts;
pub mod host_table;
pub mod hosts;
pub mod inventory;
pub mod job_lock;
pub mod labels;
pub mod link_codes;
pub mod maintenance;
pub mod minutes;
pub mod moved_cards;
pub mod notices;
pub mod park;
pub mod reports;
pub mod reservations;
pub mod rules;
pub mod sessions;
pub mod setup_code;
pub mod throttle;
pub mod troubled;
pub mod users;
pub mod waiting;

pub use failure::StoreError;
