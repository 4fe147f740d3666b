//! Who is calling: passwords, sessions, the caller of a request, the credentials of hosts.

pub mod address;
pub mod agent;
pub mod caller;
pub mod password;
pub mod secret;
pub mod session;

pub use address::ClientAddress;
pub use agent::AgentHost;
pub use caller::Caller;
