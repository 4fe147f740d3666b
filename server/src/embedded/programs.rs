//! The host's Postgres programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::ClusterError;
use crate::config::PostgresSearch;

/// Oldest major version that will do.
pub const LEAST: u32 = 14;

/// `postgres` and `initdb` of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// Their folder.
    pub dir: PathBuf,
    /// Their major version.
    pub major: u32,
}

impl Programs {
    /// The newest that will do; where there is data already, those that wrote it.
    ///
    /// # Errors
    /// [`ClusterError::NoPrograms`], or [`ClusterError::OtherMajor`] with the commands that move the data over.
    pub fn find(search: &PostgresSearch, data: Option<u32>, cluster: &Path) -> Result<Self, ClusterError> {
        let dirs = match search {
            PostgresSearch::Only(dir) => vec![dir.clone()],
            PostgresSearch::Usual(path) => std::env::split_paths(path).chain(distribution_dirs()).collect(),
        };
        let mut found: Vec<Self> = dirs.into_iter().filter_map(Self::in_dir).collect();
        // Stable, so that of equal versions the first found wins.
        found.sort_by_key(|programs| std::cmp::Reverse(programs.major));
        found.retain(|programs| programs.major >= LEAST || data == Some(programs.major));
        let Some(newest) = found.first().cloned() else {
            let place = match search {
                PostgresSearch::Only(dir) => format!(" in {}", dir.display()),
                PostgresSearch::Usual(_) => String::new(),
            };
            return Err(ClusterError::NoPrograms { least: LEAST, place });
        };
        let Some(major) = data else { return Ok(newest) };
        found
            .into_iter()
            .find(|programs| programs.major == major)
            .ok_or_else(|| ClusterError::OtherMajor(other_major(major, &newest, cluster)))
    }

    fn in_dir(dir: PathBuf) -> Option<Self> {
        if !dir.join("initdb").is_file() {
            return None;
        }
        let said = Command::new(dir.join("postgres")).arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        Some(Self { major: major_of(&said)?, dir })
    }
}

/// `15` of `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
fn major_of(said: &str) -> Option<u32> {
    let version = said.split(") ").nth(1)?;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn distribution_dirs() -> Vec<PathBuf> {
    let below = |parent: &str, bin: &str| {
        let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
        entries.map(|entry| entry.path().join(bin)).collect::<Vec<_>>()
    };
    let mut dirs = below("/usr/lib/postgresql", "bin");
    dirs.extend(below("/usr", "bin").into_iter().filter(|dir| dir.to_string_lossy().starts_with("/usr/pgsql-")));
    dirs.push(PathBuf::from("/usr/local/pgsql/bin"));
    dirs
}

fn other_major(data: u32, here: &Programs, cluster: &Path) -> String {
    let (new, cluster) = (here.major, cluster.display());
    format!(
        "the data in {cluster} was written by PostgreSQL {data}, and this machine has PostgreSQL {new}, which cannot \
         read it. Install PostgreSQL {data} again, or move the data over once (as the account that owns the folder, \
         with the programs of version {data} in /usr/lib/postgresql/{data}/bin):\n  \
         /usr/lib/postgresql/{data}/bin/pg_ctl -D '{cluster}' -w -o \"-c listen_addresses='' -k /tmp\" start\n  \
         /usr/lib/postgresql/{data}/bin/pg_dump -h /tmp -U berth --clean --if-exists berth > berth.sql\n  \
         /usr/lib/postgresql/{data}/bin/pg_ctl -D '{cluster}' -w stop\n  \
         mv '{cluster}' '{cluster}-{data}'\n\
         then start berth-server, which makes an empty cluster, and while it runs:\n  \
         {bin}/psql -h '{run}' -U berth -f berth.sql berth",
        bin = here.dir.display(),
        run = Path::new(&cluster.to_string()).with_file_name("run").display(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_distributions_print_them() {
        for (said, major) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("postgres (PostgreSQL) 9.6.24\n", Some(9)),
            ("something else", None),
        ] {
            assert_eq!(major_of(said), major, "{said}");
        }
    }
}
