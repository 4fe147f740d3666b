//! Why the state folder cannot be used.

use std::io;
use std::path::PathBuf;

/// The folder or a file in it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Reading or writing failed.
    #[error("{} cannot be {verb}: {cause}", .path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// `read`, `written` or the like.
        verb: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// The file holds something else.
    #[error("{} is damaged: {cause}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The credential is no secret any more.
    #[error(
        "{} may be read by other accounts (mode {mode:04o}), so it is not used. Run: chmod 600 {}. Where others may have \
         read it, rotate or revoke it in the portal", .path.display(), .path.display()
    )]
    TooOpen {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Root is to run the agent on a folder of somebody else's.
    #[error(
        "{} belongs to the account {account}, which could lead root to other files. Run the agent as that account: \
         sudo systemctl start berth-agent, or sudo -u '{account}' berth agent", .path.display()
    )]
    NotRoots {
        /// The folder.
        path: PathBuf,
        /// Its owner's name, or `#` and number as sudo takes it.
        account: String,
    },
    /// An agent works with this folder.
    #[error("another agent uses {} already", .path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
}
