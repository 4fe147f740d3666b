//! The table: what was proved, in which reader, for which case.

use std::collections::BTreeMap;

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// So many texts did what they should.
    Right(usize),
    /// The tool refused what somebody typed and did nothing.
    Refused,
    /// There is no such form in this case.
    None,
    /// Its reader cannot be had here.
    NotHere,
    /// What went wrong.
    Wrong(Vec<String>),
}

#[derive(Default)]
pub struct Table {
    /// In the order of the generator.
    rows: Vec<(String, String)>,
    cells: BTreeMap<(String, String, usize), Cell>,
    /// Readers that cannot be had, and why.
    pub missing: BTreeMap<String, &'static str>,
}

impl Table {
    pub fn set(&mut self, form: &str, by: &str, case: usize, cell: Cell) {
        let row = (form.to_owned(), by.to_owned());
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
        let key = (form.to_owned(), by.to_owned(), case);
        let merged = match (self.cells.remove(&key), cell) {
            (None, cell) => cell,
            (Some(Cell::Wrong(mut all)), Cell::Wrong(more)) => {
                all.extend(more);
                Cell::Wrong(all)
            }
            (Some(wrong @ Cell::Wrong(_)), _) | (_, wrong @ Cell::Wrong(_)) => wrong,
            (Some(Cell::Right(a)), Cell::Right(b)) => Cell::Right(a + b),
            (Some(first), _) => first,
        };
        self.cells.insert(key, merged);
    }

    fn cell(&self, row: &(String, String), case: usize) -> &Cell {
        self.cells.get(&(row.0.clone(), row.1.clone(), case)).unwrap_or(&Cell::None)
    }

    /// Prints it, its columns in the order of the cases.
    pub fn print(&self, cases: &[&str]) {
        let mut rows = self.rows.clone();
        // Rows of one form beside each other, in the order in which forms came first.
        let mut forms: Vec<&String> = Vec::new();
        for (form, _) in &self.rows {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        rows.sort_by_key(|(form, _)| forms.iter().position(|known| *known == form));
        let left = rows.iter().map(|(form, by)| form.chars().count() + by.chars().count() + 2).max().unwrap_or(0);
        let width = |case: &str| case.chars().count().max(5);
        print!("{:left$}", "");
        for case in cases {
            print!("  {case:>0$}", width(case));
        }
        println!();
        for row in &rows {
            let said = format!("{}  {}", row.0, row.1);
            print!("{said:left$}");
            for (n, case) in cases.iter().enumerate() {
                let text = match self.cell(row, n) {
                    Cell::Right(1) => "ok".to_owned(),
                    Cell::Right(many) => format!("ok*{many}"),
                    Cell::Refused => "refd".to_owned(),
                    Cell::None => "-".to_owned(),
                    Cell::NotHere => "n/h".to_owned(),
                    Cell::Wrong(_) => "WRONG".to_owned(),
                };
                print!("  {text:>0$}", width(case));
            }
            println!();
        }
    }

    /// Right, refused, not here, wrong: how many texts.
    pub fn counts(&self) -> (usize, usize, usize, usize) {
        let mut counts = (0, 0, 0, 0);
        for cell in self.cells.values() {
            match cell {
                Cell::Right(many) => counts.0 += many,
                Cell::Refused => counts.1 += 1,
                Cell::NotHere => counts.2 += 1,
                Cell::Wrong(all) => counts.3 += all.len(),
                Cell::None => {}
            }
        }
        counts
    }

    /// What went wrong, a line each.
    pub fn wrong(&self) -> Vec<String> {
        let wrong = self.cells.values().filter_map(|cell| if let Cell::Wrong(all) = cell { Some(all) } else { None });
        wrong.flatten().cloned().collect()
    }

    /// A line for each command, in the way of Markdown: how many texts were right, and in which readers.
    pub fn summary(&self) -> Vec<String> {
        let mut commands: Vec<(&str, usize, Vec<&str>, Vec<&str>)> = Vec::new();
        for (form, by) in &self.rows {
            let id = form.split('.').next().unwrap_or(form);
            if !commands.iter().any(|(known, ..)| *known == id) {
                commands.push((id, 0, Vec::new(), Vec::new()));
            }
            let Some((_, right, readers, missing)) = commands.iter_mut().find(|(known, ..)| *known == id) else {
                continue;
            };
            let row = self.cells.iter().filter(|((f, b, _), _)| f == form && b == by);
            let texts: usize = row.map(|(_, cell)| if let Cell::Right(many) = cell { *many } else { 0 }).sum();
            *right += texts;
            let list = if self.missing.contains_key(by) { missing } else { readers };
            if !list.contains(&by.as_str()) {
                list.push(by);
            }
        }
        let line = |(id, right, readers, missing): &(&str, usize, Vec<&str>, Vec<&str>)| {
            format!("| `{id}` | {right} | {} | {} |", readers.join("; "), missing.join("; "))
        };
        commands.iter().map(line).collect()
    }
}
