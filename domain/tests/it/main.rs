//! Everything that the rules promise about programs outside: shells, above all.
#![expect(clippy::expect_used, reason = "a test that cannot set up its world fails, loudly")]

mod finder;
mod launch_shells;
mod vectors;
