//! Finds the block markers (`^id`) of a text, and which block each of them names.
//!
//! A marker ends a paragraph or the text of a list item, or has a line to itself. Alone on its
//! line, it names the block before it. That includes a quote or list that the line is outside of,
//! although the parser reads the line as a lazy continuation of it.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::{PatchError, document, lines};

/// A block marker.
#[derive(Debug)]
pub(super) struct BlockMarker<'a> {
    pub(super) id: &'a str,
    /// The offset of its `^`.
    pub(super) caret: usize,
    /// The range of the block it names, without the marker.
    pub(super) block: Range<usize>,
}

/// An open block that contains other blocks.
struct Container {
    kind: ContainerKind,
    start: usize,
    /// The last block in it that a marker may name.
    previous: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContainerKind {
    Quote,
    List,
    /// A list item, with the column of its bullet.
    Item(usize),
    /// The document itself, or a footnote.
    Other,
}

/// The inline text of one paragraph, or of a list item that has none.
struct InlineRun {
    start: usize,
    end: usize,
    /// The offset of its last piece, if that is plain text.
    plain: Option<usize>,
}

/// An open block that contains no other blocks.
struct Leaf {
    depth: usize,
    /// Its offset, if a marker may name it.
    start: Option<usize>,
    /// The last row of a table so far.
    row: Option<Range<usize>>,
}

/// The state between two parser events.
struct MarkerFinder<'a> {
    text: &'a str,
    containers: Vec<Container>,
    leaf: Option<Leaf>,
    run: Option<InlineRun>,
    /// An offset and its column. The offset only moves forward.
    position: (usize, usize),
    markers: Vec<BlockMarker<'a>>,
}

/// Returns all markers in order.
pub(super) fn find_markers(text: &str) -> Result<Vec<BlockMarker<'_>>, PatchError> {
    let mut walk = MarkerFinder {
        text,
        containers: vec![Container { kind: ContainerKind::Other, start: 0, previous: None }],
        leaf: None,
        run: None,
        position: (0, 0),
        markers: Vec::new(),
    };
    for (event, range) in document::parse_events(text)? {
        walk.handle_event(&event, range);
    }
    Ok(walk.markers)
}

impl MarkerFinder<'_> {
    fn handle_event(&mut self, event: &Event<'_>, range: Range<usize>) {
        if let Some(leaf) = &mut self.leaf {
            match event {
                Event::Start(tag) => {
                    leaf.depth += 1;
                    if *tag == Tag::TableRow {
                        leaf.row = Some(range);
                    }
                }
                Event::End(_) if leaf.depth == 0 => self.close_leaf(range.end),
                Event::End(_) => leaf.depth -= 1,
                _ => {}
            }
            return;
        }
        match event {
            Event::Start(tag) => self.open_block(tag, range),
            Event::End(tag) => self.close_block(*tag, range),
            Event::Rule => self.set_previous(None),
            Event::TaskListMarker(_) => {}
            Event::Text(_) => {
                let start = range.start;
                self.extend_run(range).plain = Some(start);
            }
            _ => self.extend_run(range).plain = None,
        }
    }

    fn open_block(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        let kind = match tag {
            Tag::BlockQuote(_) => ContainerKind::Quote,
            Tag::List(_) => ContainerKind::List,
            Tag::Item => ContainerKind::Item(self.bullet_column(&range)),
            Tag::FootnoteDefinition(_) => ContainerKind::Other,
            Tag::Paragraph => {
                self.close_run();
                self.run = Some(InlineRun { start: range.start, end: range.start, plain: None });
                return;
            }
            _ if is_inline(tag.to_end()) => {
                self.extend_run(range).plain = None;
                return;
            }
            _ => {
                self.close_run();
                self.leaf =
                    Some(Leaf { depth: 0, start: self.leaf_start(tag, range.start), row: None });
                return;
            }
        };
        self.close_run();
        self.containers.push(Container { kind, start: range.start, previous: None });
    }

    fn close_block(&mut self, tag: TagEnd, range: Range<usize>) {
        if is_inline(tag) {
            self.extend_run(range).plain = None;
            return;
        }
        self.close_run();
        if tag != TagEnd::Paragraph {
            let closed = self.containers.pop();
            let named = closed
                .filter(|closed| matches!(closed.kind, ContainerKind::Quote | ContainerKind::List));
            self.set_previous(named.map(|_| range));
        }
    }

    /// Returns where a leaf block begins if a marker may name it. Headings cannot be named;
    /// indented code is named with its indentation.
    fn leaf_start(&self, tag: &Tag<'_>, start: usize) -> Option<usize> {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Indented) if self.containers.len() == 1 => {
                Some(lines::start(self.text, start))
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_) => Some(start),
            _ => None,
        }
    }

    /// Closes a leaf block. The parser reads a marker directly below a table as the table's last
    /// row.
    fn close_leaf(&mut self, end: usize) {
        let Some(Leaf { start, row, .. }) = self.leaf.take() else { return };
        let mut block = start.map(|start| start..end);
        if let (Some(start), Some(row)) = (start, row)
            && let Some(caret) = marker_caret(lines::trim_end(&self.text[row.clone()]))
            && lines::is_blank(&self.text[row.start..row.start + caret])
        {
            let table = start..lines::start(self.text, row.start);
            self.add_marker(row.start + caret, table.clone());
            block = Some(table);
        }
        self.set_previous(block);
    }

    fn set_previous(&mut self, block: Option<Range<usize>>) {
        self.close_run();
        if let Some(container) = self.containers.last_mut() {
            container.previous = block;
        }
    }

    fn extend_run(&mut self, range: Range<usize>) -> &mut InlineRun {
        // The text of an escaped character begins after its backslash.
        let escaped = usize::from(self.text[..range.start].ends_with('\\'));
        let start = range.start - escaped;
        let run = self.run.get_or_insert(InlineRun { start, end: start, plain: None });
        run.end = run.end.max(range.end);
        run
    }

    /// Ends the paragraph. A marker at its end is not part of the block that a later marker may
    /// name.
    fn close_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let plain = run.plain.map(|plain| (plain, lines::trim_end(&self.text[plain..run.end])));
        let caret = plain.and_then(|(plain, text)| Some(plain + marker_caret(text)?));
        let block = caret.and_then(|caret| self.marked_block(&run, caret));
        let is_marked = block.is_some() || caret == Some(run.start);
        let own = run.start..caret.filter(|_| is_marked).unwrap_or(run.end);
        self.set_previous(Some(own).filter(|own| !own.is_empty()));
        if let (Some(caret), Some(block)) = (caret, block) {
            self.add_marker(caret, block);
        }
    }

    /// Returns the block that a marker at the end of a run names.
    fn marked_block(&mut self, run: &InlineRun, caret: usize) -> Option<Range<usize>> {
        if caret == run.start {
            return self.containers.last_mut()?.previous.take();
        }
        let line = lines::start(self.text, caret);
        let before = &self.text[line..caret];
        if line > run.start && before.bytes().all(|byte| b" \t>".contains(&byte)) {
            return Some(self.left_container_start(before).unwrap_or(run.start)..line);
        }
        before.ends_with([' ', '\t']).then_some(run.start..caret)
    }

    /// Returns the offset of the outermost container that a line with this prefix is outside of.
    fn left_container_start(&self, prefix: &str) -> Option<usize> {
        let mut quotes = prefix.matches('>').count();
        let column = prefix.bytes().fold(0, column_after);
        let mut list = 0;
        for container in &self.containers {
            match container.kind {
                ContainerKind::Quote if quotes == 0 => return Some(container.start),
                ContainerKind::Quote => quotes -= 1,
                ContainerKind::List => list = container.start,
                ContainerKind::Item(bullet) if column <= bullet => return Some(list),
                ContainerKind::Item(_) | ContainerKind::Other => {}
            }
        }
        None
    }

    fn add_marker(&mut self, caret: usize, block: Range<usize>) {
        let id =
            self.text[caret + 1..].split(|next| !is_id_character(next)).next().unwrap_or_default();
        let end = block.start + lines::trim_end(&self.text[block.clone()]).len();
        self.markers.push(BlockMarker { id, caret, block: block.start..end });
    }

    /// Returns the column of an item's bullet. Items come in order, so no byte is looked at twice.
    fn bullet_column(&mut self, item: &Range<usize>) -> usize {
        let source = &self.text[item.clone()];
        let bullet = item.start + source.len() - source.trim_start().len();
        let (offset, column) = self.position;
        let bytes = self.text.as_bytes().get(offset..bullet).unwrap_or_default();
        self.position = (bullet.max(offset), bytes.iter().copied().fold(column, column_after));
        self.position.1
    }
}

/// Returns the column after a byte.
fn column_after(column: usize, byte: u8) -> usize {
    match byte {
        b'\n' | b'\r' => 0,
        b'\t' => column / 4 * 4 + 4,
        _ => column + 1,
    }
}

/// Returns the offset of the `^` if a text ends with a marker.
fn marker_caret(text: &str) -> Option<usize> {
    let before = text.trim_end_matches(is_id_character);
    (before.len() < text.len()).then(|| before.strip_suffix('^').map(str::len))?
}

/// Reports whether a character may occur in the id of a block.
fn is_id_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-'
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::Link
            | TagEnd::Image
    )
}
