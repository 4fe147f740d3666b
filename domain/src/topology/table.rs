//! The matrix as text: rows, columns and words as `nvidia-smi topo -m` prints them, and what the words mean.

use std::fmt::Write as _;

use super::{LinkedCard, Path, Topology};

/// From one tab stop to the next, in columns.
const TAB: usize = 8;
/// Width of the columns of affinities, in columns: their heads end in the second tab stop.
const AFFINITY: usize = 2 * TAB;
/// What a cell says where NVML says nothing.
const UNKNOWN: &str = "N/A";

/// What each word means, best path last, as under the matrix of `nvidia-smi`.
const LEGEND: [(&str, &str); 7] = [
    ("X", "the card itself"),
    ("SYS", "over PCIe and on to another NUMA node (UPI, Infinity Fabric)"),
    ("NODE", "over PCIe and between host bridges of one NUMA node"),
    ("PHB", "over PCIe and one host bridge, mostly the CPU's"),
    ("PXB", "over several PCIe switches, without a host bridge"),
    ("PIX", "over one PCIe switch at most"),
    ("NV#", "over # NVLink lanes together"),
];

impl Topology {
    /// The matrix alone, a line for each card, separated by tabs, without a line break at the end.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        for card in &self.cards {
            let _ = write!(text, "\tGPU{}", card.index);
        }
        text.push_str("\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID");
        for (card, row) in self.cards.iter().zip(self.matrix().rows()) {
            let _ = write!(text, "\nGPU{}", card.index);
            for path in row {
                match path {
                    Path::Same => text.push_str("\t X "),
                    path => _ = write!(text, "\t{path}"),
                }
            }
            text.push('\t');
            text.push_str(&affinities(card));
        }
        text
    }

    /// The matrix and its legend, without a line break at the end.
    #[must_use]
    pub fn table_with_legend(&self) -> String {
        let mut text = self.table();
        text.push_str("\n\nLegend:\n");
        for (word, meaning) in LEGEND {
            let _ = write!(text, "\n  {word:<4} = {meaning}");
        }
        text
    }
}

fn affinities(card: &LinkedCard) -> String {
    let known = |text: Option<&String>| text.filter(|text| !text.is_empty()).map_or(UNKNOWN, String::as_str).to_owned();
    let own = card.gpu_numa_id.get().map_or_else(|| UNKNOWN.to_owned(), |node| node.to_string());
    format!("{}{}{own}", filled(known(card.cpu_affinity.value())), filled(known(card.numa_affinity.value())))
}

/// The text and as many tabs as lead to the next column; one at least.
fn filled(mut text: String) -> String {
    let tabs = AFFINITY.saturating_sub(text.len()).div_ceil(TAB).max(1);
    text.extend(std::iter::repeat_n('\t', tabs));
    text
}
