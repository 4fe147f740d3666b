//! Started from a shell on the host, or from one that leads there.

pub(super) mod remote;
pub(super) mod run;
pub(super) mod service;
pub(super) mod shell;
