//! Integration tests of the portal: the real router, a real Postgres, real HTTP.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod api;
mod constraints;
mod finder;
mod health;
mod insecure;
mod layers;
mod notices;
mod pages;
mod people;
mod process;
mod reports;
mod reservations;
mod rules;
mod support;
mod upkeep;

/// A file that is not named above would compile to nothing and test nothing.
#[test]
fn no_test_file_is_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    let entries = std::fs::read_dir(here).expect("the folder of the tests");
    for name in entries.map(|entry| entry.expect("entry").file_name().into_string().expect("plain name")) {
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("\nmod {module};\n")), "{name} is not named in main.rs");
    }
}
