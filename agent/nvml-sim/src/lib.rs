//! A simulated `libnvidia-ml.so.1`: the cards of one host, described by a profile file, behind NVML's own C interface.
//!
//! Demonstrations and tests load it through the real `nvml-wrapper`, so that the agent runs the same code as on a
//! machine with cards. The profile is the file `profile.toml` beside the library, or else the one that
//! `BERTH_NVML_SIM_PROFILE` names; it is read again at every `nvmlInit_v2`. Faults come from a control file
//! (`control.toml` beside the library, or `BERTH_NVML_SIM_CONTROL`), which is read again whenever it changes.
//!
//! - [`profile`], [`control`]: the two files; [`answer`], [`mig`]: parts of both
//! - [`state`]: what an initialised library holds, and how a call finds its card; [`handle`]: what it finds it by
//! - [`world`]: all cards at one moment; [`card`]: one of them
//! - [`motion`]: values as functions of the clock, so that every process sees the same
//! - [`jobs`], [`visible`]: which live processes of this machine count as running on which card
//! - [`calls`]: the exported functions, one file per subject
//! - [`lay_out`], [`library`]: a simulated driver in a folder, also one that lacks functions
#![expect(unsafe_code, reason = "a C library's interface is made of raw pointers; each use says why it is sound")]

pub mod answer;
pub mod calls;
pub mod card;
pub mod code;
pub mod control;
pub mod ffi;
pub mod handle;
pub mod jobs;
pub mod lay_out;
pub mod library;
pub mod locate;
pub mod mig;
pub mod motion;
pub mod profile;
pub mod state;
pub mod visible;
pub mod world;
