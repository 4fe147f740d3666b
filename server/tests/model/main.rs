//! Bookings against a naive model: random operations on the real services and the real Postgres, one after the other and
//! by many at once, with requests cut off in the middle. What the model forbids must be refused, what it allows must be
//! done, and nothing acknowledged may be lost, halved or doubled.
//!
//! - `walk`: one operation after the other; after each, the answer and the rows must be what [`naive`] says
//! - `crowd`: 32 clients at once; afterwards [`history`] judges every answer that was given
//!
//! Numbers and seeds come from the environment: `BERTH_MODEL_OPERATIONS` and `BERTH_MODEL_SEED`. A failure prints both
//! the seed that repeats it and the few operations that are needed for it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod call;
#[path = "../it/support/clock.rs"]
mod clock;
#[path = "../it/support/cluster.rs"]
#[expect(dead_code, reason = "other tests use more of it")]
mod cluster;
mod crowd;
mod dice;
mod effort;
mod fault;
#[path = "../it/support/fleet.rs"]
mod fleet;
mod history;
mod naive;
mod op;
mod park;
mod read;
mod rows;
mod shrink;
mod walk;

/// A file that is not named above would compile to nothing and test nothing.
#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/model");
    let main = include_str!("main.rs");
    let entries = std::fs::read_dir(here).expect("the folder of the tests");
    for name in entries.map(|entry| entry.expect("entry").file_name().into_string().expect("plain name")) {
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("\nmod {module};\n")), "{name} is not named in main.rs");
    }
}
