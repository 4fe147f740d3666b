//! Pieces of text with a style, their width on a terminal, and how they are cut, wrapped and painted.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a piece is shown. Colour never says what the words do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Style {
    /// As the terminal has it.
    #[default]
    Plain,
    /// Heads, and what can be overlooked.
    Dim,
    /// What the eye looks for first.
    Bold,
    /// The caller's.
    Own,
    /// Free.
    Free,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

impl Style {
    /// Parameters of the terminal's "select graphic rendition".
    fn codes(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Dim => Some("2"),
            Self::Bold => Some("1"),
            Self::Own => Some("1;36"),
            Self::Free => Some("32"),
            Self::Warn => Some("33"),
            Self::Bad => Some("1;31"),
        }
    }
}

/// Text in one style.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Piece {
    pub text: String,
    pub style: Style,
}

impl Piece {
    pub fn new(style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style }
    }

    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(Style::Plain, text)
    }

    pub fn width(&self) -> usize {
        width(&self.text)
    }

    /// Cut to a width, so that one sees that it was.
    pub fn cut(&self, to: usize) -> Self {
        Self { text: cut(&self.text, to), style: self.style }
    }
}

/// Columns that a text takes: letters of East Asia take two.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text, or as much of it as goes into `to` columns with an ellipsis.
pub(super) fn cut(text: &str, to: usize) -> String {
    if width(text) <= to {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 0);
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used + 1 > to {
            break;
        }
        kept.push(letter);
    }
    if to > 0 {
        kept.push('…');
    }
    kept
}

/// A line: pieces one after the other, separated by what they bring along.
pub(super) type Line = Vec<Piece>;

pub(super) fn line_width(line: &[Piece]) -> usize {
    line.iter().map(Piece::width).sum()
}

/// The line cut to a width.
pub(super) fn cut_line(line: Line, to: usize) -> Line {
    let mut left = to;
    let mut kept = Line::new();
    let too_long = line_width(&line) > to;
    for piece in line {
        if !too_long || piece.width() < left {
            left = left.saturating_sub(piece.width());
            kept.push(piece);
        } else {
            // One column more than there is makes the ellipsis appear even where the piece itself would just fit.
            let fits = piece.width() == left;
            kept.push(if fits {
                Piece { text: cut(&format!("{}…", piece.text), left), ..piece }
            } else {
                piece.cut(left)
            });
            break;
        }
    }
    kept
}

/// Words over as many lines as they need, the second and later ones indented. A word that is too long is cut.
pub(super) fn wrap(text: &str, to: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.trim().is_empty() && width(&line) + 1 + width(word) > to {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.into_iter().map(|line| cut(&line, to)).collect()
}

/// The line as a terminal takes it, without blanks at its end.
pub(super) fn paint(line: &[Piece], colour: bool) -> String {
    let last = line.iter().rposition(|piece| !piece.text.trim_end().is_empty());
    let line = &line[..last.map_or(0, |last| last + 1)];
    let mut painted = String::new();
    for (at, piece) in line.iter().enumerate() {
        let text = if at + 1 == line.len() { piece.text.trim_end() } else { piece.text.as_str() };
        match piece.style.codes().filter(|_| colour && !text.trim().is_empty()) {
            Some(codes) => painted.push_str(&format!("\x1b[{codes}m{text}\x1b[0m")),
            None => painted.push_str(text),
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_count_twice_and_marks_not_at_all() {
        assert_eq!((width("abc"), width("李雷"), width("e\u{301}")), (3, 4, 1));
        assert_eq!((cut("李雷が", 5).as_str(), cut("李雷が", 6).as_str()), ("李雷…", "李雷が"));
        assert_eq!((cut("李雷", 2).as_str(), cut("ab", 0).as_str(), cut("ab", 1).as_str()), ("…", "", "…"));
    }

    #[test]
    fn lines_are_cut_in_the_piece_where_they_get_too_long() {
        let line = || vec![Piece::plain("abc"), Piece::new(Style::Bad, "def")];
        let text = |line: Line| line.iter().map(|piece| piece.text.clone()).collect::<Vec<_>>().concat();
        assert_eq!([6, 5, 4, 3, 1].map(|to| text(cut_line(line(), to))), ["abcdef", "abcd…", "abc…", "ab…", "…"]);
    }

    #[test]
    fn words_go_to_the_next_line_whole() {
        assert_eq!(wrap("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(wrap("unbreakable", 5, 2), ["unbr…"]);
    }

    #[test]
    fn colour_only_where_wanted_and_no_blanks_at_the_end() {
        let line = [Piece::plain("a "), Piece::new(Style::Own, "b  "), Piece::new(Style::Bad, "  ")];
        assert_eq!((paint(&line, false).as_str(), paint(&line, true).as_str()), ("a b", "a \x1b[1;36mb\x1b[0m"));
    }
}
