//! Draws what a terminal shows as SVG: text in columns, with the few styles that the program uses.

use std::fmt::Write as _;

/// How many characters fit on a line.
pub(super) const COLUMNS: usize = 100;
/// The size of a character, in tenths of a pixel, and the space around all of them in pixels.
const CHARACTER: (usize, usize) = (84, 190);
const MARGIN: usize = 16;

/// How a piece of text looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct TextStyle {
    is_bold: bool,
    is_faint: bool,
    colour: Option<&'static str>,
}

impl TextStyle {
    /// Follows one parameter of the escape sequence that sets styles.
    fn apply(&mut self, parameter: &str) {
        match parameter {
            "" | "0" => *self = Self::default(),
            "1" => self.is_bold = true,
            "2" => self.is_faint = true,
            "31" => self.colour = Some("#ff7b72"),
            "32" => self.colour = Some("#7ee787"),
            "35" => self.colour = Some("#d2a8ff"),
            other => panic!("the style {other} is not drawn"),
        }
    }

    fn attributes(self) -> String {
        let fill = self.colour.or(self.is_faint.then_some("#8b949e"));
        let fill = fill.map(|fill| format!(" fill=\"{fill}\"")).unwrap_or_default();
        let weight = if self.is_bold { " font-weight=\"bold\"" } else { "" };
        fill + weight
    }
}

/// A terminal that only ever writes on.
#[derive(Default)]
pub(super) struct Screen {
    lines: Vec<Vec<(char, TextStyle)>>,
    style: TextStyle,
}

impl Screen {
    /// Types a command after a prompt.
    pub(super) fn type_command(&mut self, words: &str) {
        self.show(&format!("\u{1b}[2m$\u{1b}[0m \u{1b}[1m{words}\u{1b}[0m\n"));
    }

    /// Shows what a program wrote, with its escape sequences.
    pub(super) fn show(&mut self, text: &str) {
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            match next {
                '\n' => self.lines.push(Vec::new()),
                '\r' => {}
                '\u{1b}' => rest = self.follow_escape(rest),
                next => self.put(next),
            }
        }
    }

    fn put(&mut self, next: char) {
        if self.lines.last().is_none_or(|line| line.len() == COLUMNS) {
            self.lines.push(Vec::new());
        }
        let style = self.style;
        self.lines.last_mut().expect("a line").push((next, style));
    }

    fn follow_escape<'a>(&mut self, text: &'a str) -> &'a str {
        let (parameters, rest) = text
            .strip_prefix('[')
            .and_then(|text| text.split_once('m'))
            .unwrap_or_else(|| panic!("an escape sequence that is not drawn: {text:?}"));
        parameters.split(';').for_each(|one| self.style.apply(one));
        rest
    }

    /// Draws all of it.
    pub(super) fn to_svg(&self, title: &str) -> String {
        let lines = &self.lines[..self.lines.len() - usize::from(self.ends_empty())];
        let width = COLUMNS * CHARACTER.0 / 10 + 2 * MARGIN;
        let height = lines.len() * CHARACTER.1 / 10 + 2 * MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>\n\
             <g fill=\"#e6edf3\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, \
             monospace\" font-size=\"14\">\n",
            title.replace('&', "&amp;")
        );
        for (number, line) in lines.iter().enumerate() {
            let y = MARGIN + (number + 1) * CHARACTER.1 / 10 - 5;
            let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">{}</text>", spans(line));
        }
        svg + "</g>\n</svg>\n"
    }

    fn ends_empty(&self) -> bool {
        self.lines.last().is_some_and(Vec::is_empty)
    }
}

/// Draws the pieces of a line, each with its style.
fn spans(line: &[(char, TextStyle)]) -> String {
    let pieces = line.chunk_by(|(_, one), (_, next)| one == next);
    let drawn = pieces.map(|piece| {
        let text = escape(&piece.iter().map(|(c, _)| *c).collect::<String>());
        let attributes = piece[0].1.attributes();
        // As wide as it is on a terminal, whatever font there is.
        let length = piece.len() * CHARACTER.0 / 10;
        format!("<tspan{attributes} textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{text}</tspan>")
    });
    drawn.collect()
}

/// Escapes a text. Its spaces are such that no viewer joins them.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace(' ', "\u{a0}")
}
