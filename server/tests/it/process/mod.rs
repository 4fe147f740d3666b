//! The program as the operator meets it: its refusals at the start, its private Postgres, its end.

mod cluster;
mod end;
mod outage;
mod record;
mod refusals;
mod settings;
