//! Whether `/proc` hides the processes of other accounts (`hidepid`). One that is hidden looks like one that has ended.

use std::fs;
use std::path::Path;

use super::Places;

/// Lifts the hiding, as does root's power over everything: the number of `CAP_SYS_PTRACE`.
const SYS_PTRACE: u32 = 19;
/// Options that hide nothing.
const SHOWN: [&str; 2] = ["0", "off"];
/// Options that hide from members of the group too.
const FROM_GROUP_TOO: [&str; 2] = ["4", "ptraceable"];

/// The options that `/proc` is mounted with, where they hide processes from anybody.
#[must_use]
pub fn hiding_options(proc: &Path) -> Option<String> {
    let mounts = fs::read_to_string(proc.join("self/mounts")).unwrap_or_default();
    let mut options = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ');
        let (_, at, kind, options) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        (at == "/proc" && kind == "proc").then_some(options)
    });
    // What was mounted last lies on top.
    let options = options.next_back()?;
    let hides = option(options, "hidepid=").is_some_and(|how| !SHOWN.contains(&how));
    hides.then(|| options.to_owned())
}

/// Whether they are hidden from this program. Where that cannot be told they are.
pub(super) fn hides_processes(places: &Places) -> bool {
    let Some(options) = hiding_options(&places.proc) else { return false };
    let status = fs::read_to_string(places.proc.join("self/status")).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let powers = u64::from_str_radix(field("CapEff:").trim(), 16).unwrap_or(0);
    if powers >> SYS_PTRACE & 1 == 1 {
        return false;
    }
    if option(&options, "hidepid=").is_some_and(|how| FROM_GROUP_TOO.contains(&how)) {
        return true;
    }
    // Without a group, root's is meant. The last of the four is the one that counts for files.
    let group = option(&options, "gid=").unwrap_or("0");
    let own = field("Gid:").split_whitespace().last();
    !own.into_iter().chain(field("Groups:").split_whitespace()).any(|gid| gid == group)
}

fn option<'a>(options: &'a str, name: &str) -> Option<&'a str> {
    options.split(',').find_map(|option| option.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_from_whom_it_is_hidden() {
        let root = tempfile::tempdir().expect("folder");
        let places = Places::below(root.path());
        fs::create_dir_all(places.proc.join("self")).expect("folders");
        let hides = |options: &str, status: &str| {
            let mounts = format!("x /y proc hidepid=2 0 0\nproc /proc proc rw{options} 0 0\n");
            fs::write(places.proc.join("self/mounts"), mounts).expect("written");
            fs::write(places.proc.join("self/status"), status).expect("written");
            hides_processes(&places)
        };
        let nobody = "Name:\tberth\nGid:\t990\t990\t990\t990\nGroups:\t44 109 \nCapEff:\t0000000000000000\n";
        let root_s = "Gid:\t990\t990\t990\t990\nGroups:\t \nCapEff:\t000001ffffffffff\n";
        for how in ["1", "2", "4", "noaccess", "invisible", "ptraceable"] {
            assert!(hides(&format!(",nosuid,hidepid={how}"), nobody), "{how}");
            assert!(hides(&format!(",hidepid={how},gid=4"), nobody), "{how}");
            assert!(hides(&format!(",hidepid={how}"), ""), "{how}");
            assert!(!hides(&format!(",hidepid={how}"), root_s), "{how}");
            let from_group_too = how == "4" || how == "ptraceable";
            assert_eq!(hides(&format!(",gid=109,hidepid={how}"), nobody), from_group_too, "{how}");
            assert_eq!(hides(&format!(",gid=990,hidepid={how}"), nobody), from_group_too, "{how}");
        }
        for how in ["", ",hidepid=0", ",hidepid=off", ",relatime"] {
            assert!(!hides(how, nobody), "{how}");
        }
        let twice = "proc /proc proc rw,hidepid=2 0 0\nproc /proc proc rw 0 0\n";
        fs::write(places.proc.join("self/mounts"), twice).expect("written");
        assert!(!hides_processes(&places), "the last one lies on top");
        assert!(!hides_processes(&Places::below(&root.path().join("nowhere"))));
    }
}
