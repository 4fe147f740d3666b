//! What `berth-server` can do besides running the portal.

use clap::Subcommand;

/// What the program does besides running the portal.
#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Acts on the database of a portal that is running, from the machine it runs on.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Prints the settings as the README's table.
    #[command(hide = true)]
    ConfigTable,
}

/// What the operator can do from the command line.
#[derive(Subcommand, Clone, Debug, PartialEq, Eq)]
pub enum AdminCommand {
    /// Prints a new link with which the first administrator signs up; older links stop working.
    SetupCode,
    /// Prints a code that enrols the agent of a host, for one hour; adds the host if it is new.
    EnrolCode {
        /// Name of the host: small letters, digits, `.`, `_`, `-`.
        host: String,
    },
    /// Gives somebody the password on standard input, for a forgotten one, and signs them out everywhere.
    NewPassword {
        /// Sign-in name.
        name: String,
    },
    /// Fills the portal with people and bookings to look at, all marked "(demo)"; once more begins anew around today.
    Demo {
        /// Removes all of it.
        #[arg(long)]
        remove: bool,
        /// Also where real people have bookings.
        #[arg(long, conflicts_with = "remove")]
        anyway: bool,
    },
    /// Prints the folder of the private Postgres' socket, for `pg_dump -h` and `psql -h`.
    SocketDir,
}
