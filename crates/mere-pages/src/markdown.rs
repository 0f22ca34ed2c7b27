//! Markdown that somebody else wrote, as a piece of a page.
//!
//! Nothing of it is markup that we did not choose: raw HTML is shown as text, pictures become links,
//! and links have a few schemes. The text, the depth of elements and the size of the result are
//! limited, so a page stays small and quick whatever is in it.

use mere_core::text::markdown::is_too_deep;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag as Mark, TagEnd};

use super::element::{Attribute, Tag, element, write_end, write_start};
use super::href::Href;
use super::html::Html;

/// The longest text that is rendered, in bytes. The rest is left out, and the reader is told.
pub const MAX_MARKDOWN_BYTES: usize = 48 * 1024;
/// The largest result, in bytes.
const MAX_HTML_BYTES: usize = 64 * 1024;
/// How deeply elements may lie in each other; deeper ones only show their content.
const MAX_OPEN: usize = 48;

/// What an event opened, so that its end closes exactly that.
enum Opened {
    /// These elements, the outer one first.
    Elements(Vec<Tag>),
    /// A picture, whose description is the text of a link.
    Nothing,
}

struct MarkdownWriter {
    html: Html,
    open: Vec<Opened>,
    depth: usize,
    links: usize,
    in_head: bool,
}

/// Renders a text. Headings begin below the third level, since a page has headings of its own.
pub fn render_markdown(text: &str) -> Html {
    let shown = cut_at_line(text, MAX_MARKDOWN_BYTES);
    if is_too_deep(shown) {
        let (text, _) = Html::beginning(shown, MAX_HTML_BYTES);
        let plain = element(Tag::Pre).class("plain").set(Attribute::TabIndex, "0").with(text);
        return Html::from(plain).with(shortened_note());
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = MarkdownWriter {
        html: Html::default(),
        open: Vec::new(),
        depth: 0,
        links: 0,
        in_head: false,
    };
    let mut is_whole = shown.len() == text.len();
    for event in Parser::new_ext(shown, options) {
        if writer.html.len() > MAX_HTML_BYTES {
            is_whole = false;
            break;
        }
        writer.write(event);
    }
    writer.finish(if is_whole { Html::default() } else { shortened_note() })
}

/// Returns the beginning of a text, up to the end of a line if one is near.
fn cut_at_line(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let start = &text[..text.floor_char_boundary(limit)];
    start.rfind('\n').filter(|at| *at > limit / 2).map_or(start, |at| &start[..at])
}

fn shortened_note() -> Html {
    let words = "The text is long; the rest of it is not shown here.";
    element(Tag::P).class("note").with(words).into()
}

impl MarkdownWriter {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(mark) => self.start(&mark),
            Event::End(end) => self.end(end),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.write_text(&text),
            Event::Code(text) => {
                write_start(&mut self.html, Tag::Code, &Html::default());
                self.write_text(&text);
                write_end(&mut self.html, Tag::Code);
            }
            Event::SoftBreak => self.html.push_text("\n"),
            Event::HardBreak => self.html.push(element(Tag::Br)),
            Event::Rule => self.html.push(element(Tag::Hr)),
            Event::TaskListMarker(is_done) => {
                let (sign, words) = if is_done { ("☑ ", "done") } else { ("☐ ", "to do") };
                let sign = element(Tag::Span).set(Attribute::Role, "img").with(sign);
                self.html.push(sign.set(Attribute::AriaLabel, words));
            }
        }
    }

    /// Writes text, but no more than there is room for.
    fn write_text(&mut self, text: &str) {
        self.html.push_text_within(text, MAX_HTML_BYTES);
    }

    fn start(&mut self, mark: &Mark<'_>) {
        let (tags, attributes) = match mark {
            Mark::Link { dest_url, .. } | Mark::Image { dest_url, .. } => {
                (self.link_tags(), link_attributes(dest_url))
            }
            mark => (self.plain_tags(mark), None),
        };
        let is_link = tags == [Tag::A];
        let is_harmless = !is_link || attributes.is_some();
        if tags.is_empty() || !is_harmless || self.depth + tags.len() > MAX_OPEN {
            return self.open.push(Opened::Nothing);
        }
        self.depth += tags.len();
        self.links += usize::from(is_link);
        for tag in &tags {
            write_start(&mut self.html, *tag, attributes.as_ref().unwrap_or(&Html::default()));
        }
        self.open.push(Opened::Elements(tags));
    }

    /// Returns the element of a link. Links cannot lie in each other.
    fn link_tags(&self) -> Vec<Tag> {
        if self.links == 0 { vec![Tag::A] } else { Vec::new() }
    }

    fn plain_tags(&mut self, mark: &Mark<'_>) -> Vec<Tag> {
        match mark {
            Mark::Paragraph | Mark::HtmlBlock => vec![Tag::P],
            Mark::Heading { level, .. } => vec![heading_tag(*level)],
            Mark::BlockQuote(_) => vec![Tag::Blockquote],
            Mark::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                vec![Tag::Pre, Tag::Code]
            }
            Mark::List(None) => vec![Tag::Ul],
            Mark::List(Some(_)) => vec![Tag::Ol],
            Mark::Item => vec![Tag::Li],
            Mark::Table(_) => vec![Tag::Div, Tag::Table],
            Mark::TableHead => {
                self.in_head = true;
                vec![Tag::Thead, Tag::Tr]
            }
            Mark::TableRow => vec![Tag::Tr],
            Mark::TableCell if self.in_head => vec![Tag::Th],
            Mark::TableCell => vec![Tag::Td],
            Mark::Emphasis => vec![Tag::Em],
            Mark::Strong => vec![Tag::Strong],
            Mark::Strikethrough => vec![Tag::Del],
            _ => Vec::new(),
        }
    }

    fn end(&mut self, end: TagEnd) {
        if end == TagEnd::TableHead {
            self.in_head = false;
        }
        self.close();
    }

    fn close(&mut self) {
        let Some(Opened::Elements(tags)) = self.open.pop() else { return };
        self.depth -= tags.len();
        for tag in tags.iter().rev() {
            self.links -= usize::from(*tag == Tag::A);
            write_end(&mut self.html, *tag);
        }
    }

    fn finish(mut self, note: Html) -> Html {
        while !self.open.is_empty() {
            self.close();
        }
        element(Tag::Div).class("prose").with(self.html).with(note).into()
    }
}

fn heading_tag(level: HeadingLevel) -> Tag {
    match level {
        HeadingLevel::H1 => Tag::H3,
        HeadingLevel::H2 => Tag::H4,
        HeadingLevel::H3 => Tag::H5,
        _ => Tag::H6,
    }
}

/// Returns the attributes of a link, unless it leads where no link may lead.
fn link_attributes(target: &str) -> Option<Html> {
    Href::from_text(target).map(|href| {
        let mut attributes = Html::default();
        attributes.push_markup(" href=\"");
        attributes.push_text(href.as_str());
        attributes.push_markup("\" rel=\"nofollow noopener noreferrer\"");
        attributes
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn check(text: &str, expected: &str) {
        let html = render_markdown(text);
        let html = html.as_str().strip_prefix("<div class=\"prose\">").expect("prose");
        assert_eq!(html.strip_suffix("</div>").expect("an end"), expected, "{text}");
    }

    #[test]
    fn markdown_becomes_elements() {
        check(
            "# A\n\nb *c* **d** `e`",
            "<h3>A</h3><p>b <em>c</em> <strong>d</strong> <code>e</code></p>",
        );
        check(
            "|a|\n|-|\n|b|",
            "<div><table><thead><tr><th>a</th></tr></thead><tr><td>b</td></tr></table></div>",
        );
        check(
            "[x](https://e.org)",
            "<p><a href=\"https://e.org\" rel=\"nofollow noopener noreferrer\">x</a></p>",
        );
        check("![a](p.png)", "<p><a href=\"p.png\" rel=\"nofollow noopener noreferrer\">a</a></p>");
    }

    #[test]
    fn what_could_run_is_text() {
        check("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>");
        check("a <img src=x onerror=y>", "<p>a &lt;img src=x onerror=y&gt;</p>");
        check("[x](javascript:y)", "<p>x</p>");
        check("![x](data:image/svg+xml,<svg>)", "<p>x</p>");
        check("<javascript:alert(1)>", "<p>javascript:alert(1)</p>");
        check("[![a](b)](c)", "<p><a href=\"c\" rel=\"nofollow noopener noreferrer\">a</a></p>");
    }

    #[test]
    fn any_text_is_quick_and_small() {
        let many = |text: &str| text.repeat((1 << 20) / text.len());
        for hostile in ["[", "![", "[](", "(", "*a", "> ", "- ", "`", "<", "&", "|", "[a](", "_*"] {
            let text = many(hostile);
            let start = Instant::now();
            let html = render_markdown(&text);
            assert!(html.len() < MAX_HTML_BYTES + 4096, "{hostile}: {}", html.len());
            assert!(start.elapsed().as_secs() < 5, "{hostile} took {:?}", start.elapsed());
        }
    }
}
