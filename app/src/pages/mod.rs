//! One page each: its resources, and how its parts come together.

pub mod now;
