//! Making the cluster, once.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::process::Stdio;

use nix::sys::statvfs::statvfs;
use tokio::process::Command;

use super::process::Launch;
use super::{ClusterError, Durability, NAME};

/// An empty cluster with its first write-ahead log needs some 60 MB.
const SPACE: u64 = 100 * 1024 * 1024;

/// Makes the cluster beside its place and moves it there when it is whole, so that one that was cut off half-way is
/// never mistaken for data.
pub async fn make(launch: &Launch) -> Result<(), ClusterError> {
    let (folder, account) = (&launch.folder, &launch.account);
    if let Ok(disk) = statvfs(folder.root())
        && disk.blocks_available().saturating_mul(disk.fragment_size()) < SPACE
    {
        return Err(ClusterError::DiskFull { dir: folder.root().to_owned() });
    }
    let (place, fresh) = (folder.cluster(), folder.root().join("postgres.new"));
    if place.exists() {
        let cause = std::io::Error::other("its folder `postgres` holds something that is not a Postgres cluster");
        return Err(ClusterError::folder(folder.root(), &cause));
    }
    let error = |cause: std::io::Error| ClusterError::folder(folder.root(), &cause);
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).map_err(error)?;
    }
    DirBuilder::new().mode(0o700).create(&fresh).map_err(error)?;
    account.own(&fresh)?;
    tracing::info!(version = launch.programs.major, folder = %place.display(), "making a private Postgres");

    let mut command = Command::new(launch.programs.dir.join("initdb"));
    command.arg("-D").arg(&fresh).args(["-U", NAME, "-E", "UTF8", "--locale=C.UTF-8", "--data-checksums"]);
    // Whoever can open the socket is let in; its folder is closed to everybody but the account (and root).
    command.args(["--auth=trust"]);
    if launch.durability == Durability::None {
        command.arg("--no-sync");
    }
    launch.environment(&mut command);
    command.stdin(Stdio::null());
    let output = command.output().await.map_err(error)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let _ = std::fs::write(folder.log(), said.as_bytes());
        let _ = std::fs::remove_dir_all(&fresh);
        return Err(ClusterError::failed(folder.root(), &folder.log(), &said));
    }
    std::fs::rename(&fresh, &place).map_err(error)
}
