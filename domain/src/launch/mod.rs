//! Commands that select exactly the reserved cards, in every tool that people use.
