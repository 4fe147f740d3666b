//! `berth topo` on machines whose tables have been published: from the simulated library through the real reader.

use std::fs;

use crate::cards::simulated;
use crate::support::host::Host;

/// The table as a terminal shows it, after a line break, without what is blank at the ends of lines.
fn shown(profile: &str, control: &str) -> String {
    let host = simulated(Host::new(), profile);
    fs::write(host.folder().join("control.toml"), control).expect("written");
    let said = host.run(&["topo"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let mut table = String::new();
    for line in said.stdout.lines().take_while(|line| !line.is_empty()) {
        let mut wide = String::new();
        for letter in line.chars() {
            match letter {
                '\t' => wide.extend(std::iter::repeat_n(' ', 8 - wide.len() % 8)),
                letter => wide.push(letter),
            }
        }
        table.push('\n');
        table.push_str(wide.trim_end());
    }
    table
}

/// Twelve lanes of each card to six switches.
const DGX_A100: &str = "
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV12    NV12    NV12    NV12    NV12    NV12    NV12    48-63,176-191   3               N/A
GPU1    NV12     X      NV12    NV12    NV12    NV12    NV12    NV12    48-63,176-191   3               N/A
GPU2    NV12    NV12     X      NV12    NV12    NV12    NV12    NV12    16-31,144-159   1               N/A
GPU3    NV12    NV12    NV12     X      NV12    NV12    NV12    NV12    16-31,144-159   1               N/A
GPU4    NV12    NV12    NV12    NV12     X      NV12    NV12    NV12    112-127,240-255 7               N/A
GPU5    NV12    NV12    NV12    NV12    NV12     X      NV12    NV12    112-127,240-255 7               N/A
GPU6    NV12    NV12    NV12    NV12    NV12    NV12     X      NV12    80-95,208-223   5               N/A
GPU7    NV12    NV12    NV12    NV12    NV12    NV12    NV12     X      80-95,208-223   5               N/A";

/// Eighteen lanes of each card to four switches.
const DGX_H100: &str = "
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV18    NV18    NV18    NV18    NV18    NV18    NV18    0-55,112-167    0               N/A
GPU1    NV18     X      NV18    NV18    NV18    NV18    NV18    NV18    0-55,112-167    0               N/A
GPU2    NV18    NV18     X      NV18    NV18    NV18    NV18    NV18    0-55,112-167    0               N/A
GPU3    NV18    NV18    NV18     X      NV18    NV18    NV18    NV18    0-55,112-167    0               N/A
GPU4    NV18    NV18    NV18    NV18     X      NV18    NV18    NV18    56-111,168-223  1               N/A
GPU5    NV18    NV18    NV18    NV18    NV18     X      NV18    NV18    56-111,168-223  1               N/A
GPU6    NV18    NV18    NV18    NV18    NV18    NV18     X      NV18    56-111,168-223  1               N/A
GPU7    NV18    NV18    NV18    NV18    NV18    NV18    NV18     X      56-111,168-223  1               N/A";

/// Two bridges, between cards that are no neighbours.
const RIG_3090: &str = "
        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      PHB     NV4     NODE    0-23            0               N/A
GPU1    PHB      X      NODE    NV4     0-23            0               N/A
GPU2    NV4     NODE     X      PHB     0-23            0               N/A
GPU3    NODE    NV4     PHB      X      0-23            0               N/A";

/// Four lanes from each card to each other one, NUMA nodes in reverse.
const A100_MESH: &str = "
        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV4     NV4     NV4     24-31,56-63     3               N/A
GPU1    NV4      X      NV4     NV4     16-23,48-55     2               N/A
GPU2    NV4     NV4      X      NV4     8-15,40-47      1               N/A
GPU3    NV4     NV4     NV4      X      0-7,32-39       0               N/A";

/// The same, with a card that is in the machine and not listed.
const A100_MESH_WITHOUT_THE_THIRD: &str = "
        GPU0    GPU1    GPU2    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV4     NV4     24-31,56-63     3               N/A
GPU1    NV4      X      NV4     16-23,48-55     2               N/A
GPU2    NV4     NV4      X      0-7,32-39       0               N/A";

/// Six lanes of each card; the two boards are joined by their switches.
const DGX_2: &str = "
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    GPU8    GPU9    GPU10   GPU11   GPU12   GPU13   GPU14   GPU15   CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU1    NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU2    NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU3    NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU4    NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU5    NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU6    NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU7    NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     0-23,48-71      0               N/A
GPU8    NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     NV6     24-47,72-95     1               N/A
GPU9    NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     NV6     24-47,72-95     1               N/A
GPU10   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     NV6     24-47,72-95     1               N/A
GPU11   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     NV6     24-47,72-95     1               N/A
GPU12   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     NV6     24-47,72-95     1               N/A
GPU13   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     NV6     24-47,72-95     1               N/A
GPU14   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      NV6     24-47,72-95     1               N/A
GPU15   NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6     NV6      X      24-47,72-95     1               N/A";

/// No NVLink, two sockets.
const PCIE_8: &str = "
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NODE    NODE    NODE    SYS     SYS     SYS     SYS     0-55,112-167    0               N/A
GPU1    NODE     X      NODE    NODE    SYS     SYS     SYS     SYS     0-55,112-167    0               N/A
GPU2    NODE    NODE     X      NODE    SYS     SYS     SYS     SYS     0-55,112-167    0               N/A
GPU3    NODE    NODE    NODE     X      SYS     SYS     SYS     SYS     0-55,112-167    0               N/A
GPU4    SYS     SYS     SYS     SYS      X      NODE    NODE    NODE    56-111,168-223  1               N/A
GPU5    SYS     SYS     SYS     SYS     NODE     X      NODE    NODE    56-111,168-223  1               N/A
GPU6    SYS     SYS     SYS     SYS     NODE    NODE     X      NODE    56-111,168-223  1               N/A
GPU7    SYS     SYS     SYS     SYS     NODE    NODE    NODE     X      56-111,168-223  1               N/A";

#[test]
fn the_tables_are_those_that_were_recorded() {
    for (profile, recorded) in [
        ("dgx-a100", DGX_A100),
        ("dgx-h100", DGX_H100),
        ("rig-3090", RIG_3090),
        ("a100-mesh", A100_MESH),
        ("dgx-2", DGX_2),
        ("pcie-8", PCIE_8),
    ] {
        assert_eq!(shown(profile, ""), recorded, "{profile}");
    }
}

#[test]
fn a_card_that_is_not_listed_adds_no_lanes_to_the_others() {
    assert_eq!(shown("a100-mesh", "gone = [2]\n"), A100_MESH_WITHOUT_THE_THIRD);
}
