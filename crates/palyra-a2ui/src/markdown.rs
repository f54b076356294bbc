//! Markdown: permitted links, and conversion to text for terminals.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The permitted schemes of links.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Checks that links have a permitted scheme and that there are no images.
pub(crate) fn check_links(markdown: &str) -> Result<(), String> {
    for event in parser(markdown) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let target = dest_url.to_ascii_lowercase();
                // An e-mail address in angle brackets is a link without a scheme.
                let address = !target.contains(':') && target.contains('@');
                if !address && !SCHEMES.iter().any(|scheme| target.starts_with(scheme)) {
                    return Err(format!("the link to `{dest_url}` is not http, https or mailto"));
                }
            }
            Event::Start(Tag::Image { .. }) => return Err("images are not allowed".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns markdown as plain text: paragraphs, lists and code keep their form, links name their target.
pub(crate) fn to_text(markdown: &str) -> String {
    let mut writer = Writer::default();
    for event in parser(markdown) {
        writer.event(event);
    }
    writer.out.trim_end().to_owned()
}

fn parser(markdown: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(markdown, options)
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The number of the next item of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    links: Vec<(usize, String)>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineHtml(text) | Event::Html(text) => self.out.push_str(&text),
            Event::Code(code) => {
                self.out.push('`');
                self.out.push_str(&code);
                self.out.push('`');
            }
            Event::SoftBreak => self.out.push(' '),
            Event::HardBreak => self.line(),
            Event::Rule => {
                self.block();
                self.out.push_str("---");
                self.line();
            }
            Event::TaskListMarker(done) => self.out.push_str(if done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::CodeBlock(_) | Tag::Table(_) if self.lists.is_empty() => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                self.out.push_str(&"#".repeat(level as usize));
                self.out.push(' ');
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.block();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                self.line();
                self.out.push_str(&"  ".repeat(self.lists.len().saturating_sub(1)));
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    _ => "• ".to_owned(),
                };
                self.out.push_str(&marker);
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.out.push_str("> ");
            }
            Tag::Link { dest_url, .. } => self.links.push((self.out.len(), dest_url.to_string())),
            Tag::TableRow => self.line(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock => self.line(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.line();
            }
            TagEnd::TableCell => self.out.push_str("  "),
            TagEnd::TableHead | TagEnd::TableRow => {
                let end = self.out.trim_end().len();
                self.out.truncate(end);
            }
            TagEnd::Link => {
                if let Some((from, target)) = self.links.pop()
                    && self.out.get(from..).is_some_and(|text| text != target)
                {
                    self.out.push_str(&format!(" ({target})"));
                }
            }
            _ => {}
        }
    }

    /// Ends the line unless it is empty.
    fn line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Ends the line and adds an empty one.
    fn block(&mut self) {
        self.line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") && !self.out.ends_with("> ") {
            self.out.push('\n');
        }
    }
}
