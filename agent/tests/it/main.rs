//! The `berth` program from outside: real processes, real sockets, a small portal made of `std::net`.

#[cfg(test)]
mod agent;
#[cfg(test)]
mod bookings;
#[cfg(test)]
mod cards;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod credential;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod enrol;
#[cfg(test)]
mod launch;
#[cfg(test)]
mod minutes;
#[cfg(test)]
mod notices;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod run;
#[cfg(test)]
mod service;
#[cfg(test)]
mod status;
#[cfg(test)]
mod support;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod topology;
#[cfg(test)]
mod walk_in;

/// Every file beside this one is part of the test.
#[test]
fn no_test_file_is_forgotten() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(here.join("main.rs")).expect("main.rs");
    for entry in std::fs::read_dir(here).expect("folder").flatten() {
        let name = entry.file_name().to_string_lossy().trim_end_matches(".rs").to_owned();
        assert!(name == "main" || main.contains(&format!("mod {name};")), "{name} is not in main.rs");
    }
}
