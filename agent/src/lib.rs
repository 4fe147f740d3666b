//! Berth's agent and command line.
