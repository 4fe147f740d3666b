//! A table that fits into a width: columns give way in a set order, and what is said about a row goes beside it where
//! there is room, else beneath it.

use super::style::{Line, Piece, Style, cut_line, line_width, width, wrap};

/// Between two columns.
const GAP: usize = 2;
/// What is beneath a row begins here.
const INDENT: usize = 4;

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub head: &'static str,
    /// Numbers stand on the right.
    pub right: bool,
    /// What happens to it where there is too little room: the highest goes first.
    pub gives: Gives,
}

/// How a column gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// It stays as it is.
    Nothing,
    /// It goes, the highest number first.
    Way(u8),
    /// It gets narrower, down to this, before columns of a lower number go.
    Width(u8, usize),
}

/// A card.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// One for each column; an empty one is blank.
    pub cells: Vec<Piece>,
    /// What there is to say, each part on its own.
    pub remarks: Vec<Piece>,
}

/// Lays the rows out. Without a width nothing gives way.
pub(super) fn lay_out(columns: &[Column], rows: &[Row], remarks_head: &'static str, room: Option<usize>) -> Vec<Line> {
    let filled = |at: usize| rows.iter().any(|row| row.cells.get(at).is_some_and(|cell| !cell.text.is_empty()));
    let mut kept: Vec<(usize, usize)> = (0..columns.len())
        .filter(|at| filled(*at))
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.cells.get(at)).map(Piece::width);
            (at, cells.max().unwrap_or(0).max(width(columns[at].head)))
        })
        .collect();
    let remarks: Vec<Line> = rows.iter().map(|row| joined(&row.remarks)).collect();
    let longest = remarks.iter().map(|line| line_width(line)).max().unwrap_or(0);
    let beside = longest > 0 && room.is_none_or(|room| total(&kept) + GAP + longest.max(width(remarks_head)) <= room);
    if let Some(room) = room {
        give_way(columns, &mut kept, room);
    }
    let mut lines = vec![heads(columns, &kept, beside.then_some(remarks_head))];
    for (row, said) in rows.iter().zip(remarks) {
        let mut line = Line::new();
        for (place, (at, wide)) in kept.iter().enumerate() {
            let cell = row.cells.get(*at).cloned().unwrap_or_default();
            put(&mut line, place, &cell.cut(*wide), *wide, columns[*at].right);
        }
        if beside {
            line.push(Piece::plain(" ".repeat(GAP)));
            line.extend(said);
            lines.push(line);
        } else {
            lines.push(line);
            lines.extend(beneath(&row.remarks, room));
        }
    }
    match room {
        Some(room) => lines.into_iter().map(|line| cut_line(line, room)).collect(),
        None => lines,
    }
}

fn total(kept: &[(usize, usize)]) -> usize {
    kept.iter().map(|(_, wide)| wide).sum::<usize>() + GAP * kept.len().saturating_sub(1)
}

fn give_way(columns: &[Column], kept: &mut Vec<(usize, usize)>, room: usize) {
    let mut order: Vec<(u8, usize)> = (0..columns.len())
        .filter_map(|at| match columns[at].gives {
            Gives::Nothing => None,
            Gives::Way(number) | Gives::Width(number, _) => Some((number, at)),
        })
        .collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    for (_, at) in order {
        let too_much = total(kept).saturating_sub(room);
        let Some(place) = kept.iter().position(|(kept, _)| *kept == at).filter(|_| too_much > 0) else { continue };
        if let Gives::Width(_, least) = columns[at].gives {
            let wide = &mut kept[place].1;
            *wide = wide.saturating_sub(too_much).max(least.min(*wide));
        } else {
            kept.remove(place);
        }
    }
}

fn heads(columns: &[Column], kept: &[(usize, usize)], beside: Option<&'static str>) -> Line {
    let mut line = Line::new();
    for (place, (at, wide)) in kept.iter().enumerate() {
        put(&mut line, place, &Piece::new(Style::Dim, columns[*at].head).cut(*wide), *wide, columns[*at].right);
    }
    if let Some(head) = beside {
        line.extend([Piece::plain(" ".repeat(GAP)), Piece::new(Style::Dim, head)]);
    }
    line
}

fn put(line: &mut Line, place: usize, cell: &Piece, wide: usize, right: bool) {
    let blank = " ".repeat(wide.saturating_sub(cell.width()));
    let gap = " ".repeat(if place == 0 { 0 } else { GAP });
    if right {
        line.extend([Piece::plain(gap + &blank), cell.clone()]);
    } else {
        line.extend([Piece::plain(gap), cell.clone(), Piece::plain(blank)]);
    }
}

fn joined(remarks: &[Piece]) -> Line {
    let mut line = Line::new();
    for (at, remark) in remarks.iter().enumerate() {
        if at > 0 {
            line.push(Piece::plain(", "));
        }
        line.push(remark.clone());
    }
    line
}

/// As many lines as they need; a remark goes to the next line whole if it fits there.
fn beneath(remarks: &[Piece], room: Option<usize>) -> Vec<Line> {
    let indent = || Piece::plain(" ".repeat(INDENT));
    let room = room.unwrap_or(usize::MAX);
    let mut lines: Vec<Line> = Vec::new();
    for (at, remark) in remarks.iter().enumerate() {
        let mut remark = remark.clone();
        if at + 1 < remarks.len() {
            remark.text.push(',');
        }
        match lines.last_mut().filter(|line| line_width(line) + 1 + remark.width() <= room) {
            Some(line) => line.extend([Piece::plain(" "), remark]),
            None if remark.width() > room.saturating_sub(INDENT) => {
                let rows = wrap(&remark.text, room.saturating_sub(INDENT), 2);
                lines.extend(rows.into_iter().map(|text| vec![indent(), Piece::new(remark.style, text)]));
            }
            None => lines.push(vec![indent(), remark]),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::status::style::paint;

    fn shown(rows: &[Row], room: Option<usize>) -> Vec<String> {
        let column = |head, right, gives| Column { head, right, gives };
        let columns = [
            column("#", true, Gives::Nothing),
            column("card", false, Gives::Width(2, 4)),
            column("fan", true, Gives::Way(3)),
            column("util", true, Gives::Way(1)),
        ];
        lay_out(&columns, rows, "on it", room).iter().map(|line| paint(line, false)).collect()
    }

    fn row(cells: [&str; 4], remarks: &[&str]) -> Row {
        Row {
            cells: cells.map(Piece::plain).to_vec(),
            remarks: remarks.iter().map(|text| Piece::plain(*text)).collect(),
        }
    }

    #[test]
    fn remarks_go_beside_where_there_is_room_and_beneath_where_not() {
        let rows =
            [row(["0", "RTX 3090", "30%", "97%"], &["Ada 3 GiB", "orphan 1 GiB"]), row(["10", "李雷", "", "0%"], &[])];
        let wide = [
            "#   card      fan  util  on it",
            " 0  RTX 3090  30%   97%  Ada 3 GiB, orphan 1 GiB",
            "10  李雷             0%",
        ];
        let wide = wide.map(|line| line.replacen("#   card", " #  card", 1));
        assert_eq!(shown(&rows, None), wide);
        assert_eq!(shown(&rows, Some(48)), wide);
        let narrow = [
            " #  card      fan  util",
            " 0  RTX 3090  30%   97%",
            "    Ada 3 GiB, orphan 1 GiB",
            "10  李雷             0%",
        ];
        assert_eq!(shown(&rows, Some(47)), narrow);
        assert_eq!(shown(&rows, Some(24))[2..4], ["    Ada 3 GiB,", "    orphan 1 GiB"]);
    }

    #[test]
    fn columns_give_way_in_their_order() {
        let rows = [row(["0", "RTX 3090", "30%", "97%"], &[])];
        assert_eq!(shown(&rows, Some(22)), ["#  card      fan  util", "0  RTX 3090  30%   97%"]);
        assert_eq!(shown(&rows, Some(21)), ["#  card      util", "0  RTX 3090   97%"]);
        assert_eq!(shown(&rows, Some(15)), ["#  card    util", "0  RTX 3…   97%"]);
        assert_eq!(shown(&rows, Some(12)), ["#  card", "0  RTX…"]);
        assert_eq!(shown(&rows, Some(5)), ["#  c…", "0  R…"]);
    }

    #[test]
    fn a_column_without_a_value_is_left_out() {
        assert_eq!(shown(&[row(["0", "RTX 3090", "", "97%"], &[])], None), ["#  card      util", "0  RTX 3090   97%"]);
    }
}
