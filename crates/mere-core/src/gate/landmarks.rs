//! This session's real folders, and how content is rewritten to hide them.
//!
//! One automaton holds every spelling of every folder: raw, JSON-escaped and URL-escaped. A match
//! counts only if it ends at the end of a path component, so `/work/app2` is not `/work/app`. The
//! text before a match does not matter, because compilers, logs and URLs attach all kinds of
//! prefixes to a path; only a folder of one component, such as `/app`, must begin a path, because
//! `src/app` is another one. A match is replaced by the folder's address or label.

use std::borrow::Cow;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::absolute_path;
use super::spelling;
use crate::address::{Address, AgentName, RelPath, Root};
use crate::reply::ContentKind;

/// The replacement for a real folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// The address of a root.
    Root(Root),
    /// The folder of all workspaces; the caller's own workspace becomes `ROOT_WORKSPACE:/`.
    Workspaces,
    /// The home folder.
    Home,
    /// The temporary folder.
    Temporary,
    /// A repository's own folder that lies outside the project.
    Git,
    /// Another working tree of the project's repository.
    Worktree,
    /// A folder that a config names and that agents do not see.
    Outside,
    /// A folder in which the program keeps its own files.
    Private,
}

impl StandIn {
    /// Returns the label that replaces a folder without an address.
    fn label(&self) -> Option<&'static str> {
        match self {
            Self::Root(_) => None,
            Self::Workspaces => Some("<workspaces>"),
            Self::Home => Some("<home>"),
            Self::Temporary => Some("<tmp>"),
            Self::Git => Some("<git>"),
            Self::Worktree => Some("<worktree>"),
            Self::Outside => Some("<outside>"),
            Self::Private => Some("<mere>"),
        }
    }
}

/// One real folder that must not be shown.
#[derive(Clone, Debug)]
pub struct Landmark {
    /// The folder's absolute path as text, in one spelling.
    pub path: String,
    /// The replacement that content shows.
    pub stand_in: StandIn,
}

/// The replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

struct FolderPattern {
    stand_in: StandIn,
    components: usize,
}

impl FolderPattern {
    /// Checks whether a text with the pattern right after `before` names the folder. Everybody's
    /// scripts name `/tmp`, so in the body of a file it stays.
    fn is_named_after(&self, before: &str, kind: ContentKind) -> bool {
        let is_public = self.stand_in == StandIn::Temporary && kind == ContentKind::Body;
        self.components > 1 || !is_public && absolute_path::begins_after(before)
    }
}

/// An automaton that finds all landmarks.
pub(super) struct Landmarks {
    automaton: Option<AhoCorasick>,
    /// A faster automaton over the same patterns, which only tells whether there is any match.
    prefilter: Option<AhoCorasick>,
    patterns: Vec<FolderPattern>,
}

struct FolderMatch {
    start: usize,
    end: usize,
    pattern: usize,
}

impl Landmarks {
    pub(super) fn new(landmarks: Vec<Landmark>) -> Self {
        let mut texts = Vec::new();
        let mut patterns = Vec::new();
        for landmark in landmarks {
            let components = landmark.path.split(['/', '\\']).filter(|c| !c.is_empty()).count();
            if components == 0 {
                continue;
            }
            for text in spelling::all_spellings(landmark.path.trim_end_matches(['/', '\\'])) {
                if !texts.contains(&text) {
                    texts.push(text);
                    patterns
                        .push(FolderPattern { stand_in: landmark.stand_in.clone(), components });
                }
            }
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&texts).ok();
        let prefilter =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&texts).ok();
        Self { automaton, prefilter, patterns }
    }

    /// Checks that the automaton could be built. A gate without one clears nothing.
    pub(super) fn is_built(&self) -> bool {
        self.automaton.is_some()
    }

    /// Checks whether our words contain the path of a real folder anywhere, whatever precedes it.
    pub(super) fn occur_in(&self, words: &str) -> bool {
        let found = self.automaton.iter().flat_map(|all| all.find_overlapping_iter(words));
        found.into_iter().any(|found| is_component_end(&words[found.end()..]))
    }

    /// Checks whether `text` names a real folder anywhere.
    pub(super) fn has_match(&self, text: &str, kind: ContentKind) -> bool {
        !self.find(text, kind).is_empty()
    }

    /// Replaces every real folder in a text, and returns the number of replacements.
    pub(super) fn rewrite<'a>(
        &self,
        text: &'a str,
        kind: ContentKind,
        agent: &AgentName,
    ) -> (Cow<'a, str>, u64) {
        let replacements = self.replacements(text, kind, agent);
        if replacements.is_empty() {
            return (Cow::Borrowed(text), 0);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for one in &replacements {
            out.push_str(&text[done..one.range.start]);
            out.push_str(&one.text);
            done = one.range.end;
        }
        out.push_str(&text[done..]);
        (Cow::Owned(out), replacements.len() as u64)
    }

    /// Lists the replacements of all real folders in a text, in order.
    pub(super) fn replacements(
        &self,
        text: &str,
        kind: ContentKind,
        agent: &AgentName,
    ) -> Vec<Replacement> {
        let found = self.find(text, kind);
        let replacements = found.iter().enumerate().map(|(index, one)| {
            // A separator that begins the next match is left to it.
            let limit = found.get(index + 1).map_or(text.len(), |next| next.start);
            let mut out = String::new();
            let along = self.write_stand_in(&text[one.end..limit], one.pattern, agent, &mut out);
            Replacement { range: one.start..one.end + along, text: out }
        });
        replacements.collect()
    }

    /// Writes the stand-in, and returns the number of bytes of `rest` that it replaces as well.
    fn write_stand_in(
        &self,
        rest: &str,
        pattern: usize,
        agent: &AgentName,
        out: &mut String,
    ) -> usize {
        let separator = spelling::separator_length(rest);
        let stand_in = &self.patterns[pattern].stand_in;
        if let StandIn::Root(root) = stand_in {
            out.push_str(&root_address(root));
            return separator;
        }
        if *stand_in == StandIn::Workspaces {
            let below = &rest[separator..];
            let own = below.strip_prefix(agent.as_str()).filter(|r| is_component_end(r));
            if let (Some(rest), true) = (own, separator > 0) {
                out.push_str(&root_address(&Root::Workspace));
                let own = separator + agent.as_str().len();
                return own + spelling::separator_length(rest);
            }
        }
        out.push_str(stand_in.label().unwrap_or_default());
        0
    }

    /// Finds the matches on whole components, leftmost and longest first, without overlaps.
    fn find(&self, text: &str, kind: ContentKind) -> Vec<FolderMatch> {
        let Some(automaton) = &self.automaton else {
            return Vec::new();
        };
        // Most texts name no folder. The prefilter can skip ahead, so it finds that out quickly.
        if self.prefilter.as_ref().is_some_and(|quick| !quick.is_match(text)) {
            return Vec::new();
        }
        let mut found = automaton
            .find_overlapping_iter(text)
            .map(|m| FolderMatch {
                start: m.start(),
                end: m.end(),
                pattern: m.pattern().as_usize(),
            })
            .filter(|f| is_component_end(&text[f.end..]))
            .filter(|f| self.patterns[f.pattern].is_named_after(&text[..f.start], kind))
            .collect::<Vec<_>>();
        found.sort_by_key(|f| (f.start, usize::MAX - f.end));
        let mut covered = 0;
        found.retain(|f| {
            let apart = f.start >= covered;
            if apart {
                covered = f.end;
            }
            apart
        });
        found
    }
}

fn root_address(root: &Root) -> String {
    Address::directory(root.clone(), RelPath::default()).to_string()
}

/// Checks for characters that continue a path component. Letters outside ASCII do not: in many
/// languages prose follows a path without a space, and a leak is worse than rewriting a sibling.
fn is_component_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '@' | '+')
}

/// Checks whether a path component ends where `rest` begins.
fn is_component_end(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        None => true,
        Some('.') => !chars.next().is_some_and(|c| is_component_char(c) && c != '.'),
        Some('%') => spelling::separator_length(rest) > 0 || !spelling::is_percent_escape(rest),
        Some(c) => !is_component_char(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landmarks() -> Landmarks {
        let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
        Landmarks::new(vec![
            mark("/work/app", StandIn::Root(Root::Project)),
            mark("/work/app/.ai/workspaces", StandIn::Workspaces),
            mark("/home/me", StandIn::Home),
            mark("/home/me/.ai", StandIn::Root(Root::User)),
            mark("/tmp", StandIn::Temporary),
            mark("/", StandIn::Root(Root::Project)),
            mark("/my work/ünï", StandIn::Root(Root::Project)),
        ])
    }

    fn check(text: &str, expected: &str) {
        let (out, _) = landmarks().rewrite(text, ContentKind::Body, &AgentName::default());
        assert_eq!(out, expected);
        assert!(!landmarks().has_match(&out, ContentKind::Body), "{out}");
    }

    #[test]
    fn real_roots_become_addresses() {
        check("see /work/app/src/a.rs.", "see ROOT_PROJECT:/src/a.rs.");
        check("/work/app", "ROOT_PROJECT:/");
        check("in /work/app.", "in ROOT_PROJECT:/.");
        check("/home/me/.ai/x and /home/me/y", "ROOT_USER:/x and <home>/y");
        check("/work/app/.ai/workspaces/default/n", "ROOT_WORKSPACE:/n");
        check("/work/app/.ai/workspaces/other/n", "<workspaces>/other/n");
        check("-I/work/app/inc", "-IROOT_PROJECT:/inc");
        check("\"a\\n/work/app\"", "\"a\\nROOT_PROJECT:/\"");
        check("\u{1b}[31m/work/app", "\u{1b}[31mROOT_PROJECT:/");
        check("file:///work/app/x", "file://ROOT_PROJECT:/x");
        check("vscode://host/work/app/x", "vscode://hostROOT_PROJECT:/x");
        check("http://localhost:5173/@fs/work/app/x", "http://localhost:5173/@fsROOT_PROJECT:/x");
        check("/proc/1/root/home/me/x", "/proc/1/root<home>/x");
        check("f=@/home/me", "f=@<home>");
        check("プロジェクトは/work/appにあります", "プロジェクトはROOT_PROJECT:/にあります");
        check("\u{1b}(B/work/app", "\u{1b}(BROOT_PROJECT:/");
    }

    #[test]
    fn escaped_spellings_are_found() {
        check(r#"{"p":"\/work\/app\/x"}"#, r#"{"p":"ROOT_PROJECT:/x"}"#);
        check("p=%2Fwork%2Fapp%2Fx", "p=ROOT_PROJECT:/x");
        check("p=%2fwork%2fapp", "p=ROOT_PROJECT:/");
        check("/my work/ünï/x", "ROOT_PROJECT:/x");
        check("/my%20work/%C3%BCn%C3%AF/x", "ROOT_PROJECT:/x");
        check(r"/my work/\u00fcn\u00ef/x", "ROOT_PROJECT:/x");
        check(r"\u002fwork\u002fapp\u002fx", "ROOT_PROJECT:/x");
    }

    #[test]
    fn siblings_and_honest_text_stay() {
        for text in [
            "/work/app2/x",
            "/work/app-old",
            "/work/app.bak",
            "/users/{id}",
            "#!/usr/bin/env python3",
            "/tmp/x",
            "/home/me2",
            "/work",
            "/work/apple",
        ] {
            check(text, text);
        }
    }

    fn container() -> Landmarks {
        let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
        Landmarks::new(vec![
            mark("/app", StandIn::Root(Root::Project)),
            mark("/app/.ai/workspaces", StandIn::Workspaces),
            mark("/root", StandIn::Home),
            mark("/root/.ai", StandIn::Root(Root::User)),
            mark("/tmp", StandIn::Temporary),
        ])
    }

    fn check_in_container(text: &str, expected: &str) {
        for kind in [ContentKind::Body, ContentKind::Mention] {
            let (out, _) = container().rewrite(text, kind, &AgentName::default());
            assert_eq!(out, expected, "{text}");
            assert!(!container().has_match(&out, kind), "{out}");
        }
    }

    #[test]
    fn roots_of_one_component_are_rewritten_where_a_path_begins() {
        for (text, expected) in [
            ("cd /app && ls /app/src", "cd ROOT_PROJECT:/ && ls ROOT_PROJECT:/src"),
            ("/app", "ROOT_PROJECT:/"),
            ("PATH=/root/bin:/app/bin", "PATH=<home>/bin:ROOT_PROJECT:/bin"),
            ("{\"p\":\"\\/app\\/x\"}", "{\"p\":\"ROOT_PROJECT:/x\"}"),
            ("p=%2Fapp%2Fx", "p=ROOT_PROJECT:/x"),
            ("file:///app/x", "file://ROOT_PROJECT:/x"),
            ("\"a\\n/app\"", "\"a\\nROOT_PROJECT:/\""),
            ("-I/app/inc", "-IROOT_PROJECT:/inc"),
            ("/app/app/x", "ROOT_PROJECT:/app/x"),
            ("/root/app/x", "<home>/app/x"),
            ("/app/root", "ROOT_PROJECT:/root"),
            ("/root/.ai/x", "ROOT_USER:/x"),
            ("/app/.ai/workspaces/default/n", "ROOT_WORKSPACE:/n"),
            ("/app:/root", "ROOT_PROJECT:/:<home>"),
            ("/app//root", "ROOT_PROJECT://root"),
            ("プロジェクトは/appにあります", "プロジェクトはROOT_PROJECT:/にあります"),
        ] {
            check_in_container(text, expected);
        }
    }

    #[test]
    fn roots_of_one_component_stay_inside_other_paths() {
        for text in [
            "src/app/page.tsx",
            "import x from \"@/app/page\"",
            "./app/x ../app ~/app ${DIR}/app $(pwd)/root [slug]/app",
            "https://example.com/app/x http://localhost:8080/root",
            "<root><app></app></root>",
            "/apple /app2 /app-old /app.js /rooted",
            "ROOT_PROJECT:/app/page.tsx mod:x:/root/y",
            "{\"p\":\"src\\/app\\/x\"} src%2Fapp%2Fx src\\u002fapp",
            "//root of all // app",
            "/opt/app /var/root/x",
        ] {
            check_in_container(text, text);
        }
    }

    #[test]
    fn our_words_name_a_root_of_one_component_nowhere() {
        for words in ["/app", "src/app", "notes/root"] {
            assert!(container().occur_in(words), "{words}");
        }
        assert!(!container().occur_in("apple/apps"));
    }

    #[test]
    fn the_temporary_folder_of_everybody_is_rewritten_in_mentions_only() {
        let (out, count) =
            landmarks().rewrite("/tmp/x", ContentKind::Mention, &AgentName::default());
        assert_eq!((&*out, count), ("<tmp>/x", 1));
    }
}
