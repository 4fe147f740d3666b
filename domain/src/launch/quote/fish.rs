//! fish: the words of the POSIX shells are written so that it reads them alike.

pub use super::posix::word;
