//! Writes HTML. Rows and bars are written by one program, on the server for the first paint and in the browser for what
//! changes: thousands of bars are cheaper as text than as nodes of a framework. Only what is in this source gets in as
//! it is; everything that a person or a host typed is escaped.

use std::fmt::Write as _;

/// HTML in the making.
#[derive(Debug, Default)]
pub struct Markup(String);

impl Markup {
    /// The HTML.
    #[must_use]
    pub fn done(self) -> String {
        self.0
    }

    /// Adds markup of this source.
    pub fn raw(&mut self, html: &'static str) -> &mut Self {
        self.0.push_str(html);
        self
    }

    /// Adds what another one of these has written.
    pub fn part(&mut self, other: &str) -> &mut Self {
        self.0.push_str(other);
        self
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Adds an attribute, with a space before it.
    pub fn attr(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// Adds a number to a style, in thousandths at most.
    pub fn number(&mut self, name: &'static str, value: f64) -> &mut Self {
        let rounded = (value * 1000.0).round() / 1000.0;
        let _ = write!(self.0, "--{name}:{rounded};");
        self
    }

    /// Adds an icon.
    pub fn icon(&mut self, name: &'static str) -> &mut Self {
        self.raw("<svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-").raw(name).raw("\"></use></svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_typed_stays_text() {
        let mut html = Markup::default();
        html.raw("<a").attr("title", "\"><script>alert(1)</script>").raw(">").text("a < b & 'c'").raw("</a>");
        assert_eq!(
            html.done(),
            "<a title=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\">a &lt; b &amp; &#39;c&#39;</a>"
        );
    }

    #[test]
    fn numbers_are_short() {
        let mut html = Markup::default();
        html.number("at", 10.0 / 3.0).number("for", 2.0).number("n", -0.25);
        assert_eq!(html.done(), "--at:3.333;--for:2;--n:-0.25;");
    }
}
