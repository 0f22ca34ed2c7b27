//! This session's real folders, and how content is rewritten to hide them.
//!
//! A folder is found wherever a text names it, however it is spelled (see `path_reading`). A match
//! counts only if it ends at the end of a name, so `/work/app2` is not `/work/app`. The text before
//! a match does not matter, because compilers, logs and URLs attach all kinds of prefixes to a
//! path; only a folder of one component, such as `/app`, must begin a path, because `src/app` is
//! another one. A match is replaced by the folder's address or label.

use std::borrow::Cow;
use std::ops::Range;

use super::absolute_path;
use super::folder_trie::FolderTrie;
use super::path_reading;
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

struct Folder {
    stand_in: StandIn,
    components: usize,
}

impl Folder {
    /// Checks whether a text that has the folder's path at this place names the folder. Everybody's
    /// scripts name `/tmp`, so in the body of a file it stays.
    fn is_named_at(&self, text: &str, place: &Range<usize>, kind: ContentKind) -> bool {
        let is_public = self.stand_in == StandIn::Temporary && kind == ContentKind::Body;
        self.components > 1 || !is_public && absolute_path::begins_at(text, place)
    }
}

/// All landmarks.
pub(super) struct Landmarks {
    trie: FolderTrie,
    folders: Vec<Folder>,
}

/// A place where a text names a folder.
struct FolderMatch {
    range: Range<usize>,
    folder: usize,
}

impl Landmarks {
    pub(super) fn new(landmarks: Vec<Landmark>) -> Self {
        let mut trie = FolderTrie::default();
        let mut folders = Vec::new();
        for landmark in landmarks {
            let components = landmark.path.split(['/', '\\']).filter(|c| !c.is_empty()).count();
            if trie.insert(&landmark.path, folders.len()) {
                folders.push(Folder { stand_in: landmark.stand_in, components });
            }
        }
        Self { trie, folders }
    }

    /// Checks whether our words contain the path of a real folder anywhere, whatever precedes it.
    pub(super) fn occur_in(&self, words: &str) -> bool {
        self.trie.paths_in(words).next().is_some()
    }

    /// Checks whether `text` names a real folder anywhere.
    pub(super) fn has_match(&self, text: &str, kind: ContentKind) -> bool {
        self.find(text, kind).next().is_some()
    }

    /// Replaces every real folder in a text, and returns the number of replacements.
    pub(super) fn rewrite<'a>(
        &self,
        text: &'a str,
        kind: ContentKind,
        agent: &AgentName,
    ) -> (Cow<'a, str>, u64) {
        self.rewrite_until(text, text.len(), kind, agent)
    }

    /// Replaces the real folders in a text up to an end. What lies across the end is judged with
    /// all that follows: the stand-in of a folder is shown whole, and nothing of its path.
    pub(super) fn rewrite_until<'a>(
        &self,
        text: &'a str,
        end: usize,
        kind: ContentKind,
        agent: &AgentName,
    ) -> (Cow<'a, str>, u64) {
        let end = text.floor_char_boundary(end);
        let mut replacements = self.replacements(text, kind, agent);
        replacements.retain(|one| one.range.start < end);
        if replacements.is_empty() {
            return (Cow::Borrowed(&text[..end]), 0);
        }
        let mut out = String::with_capacity(end);
        let mut done = 0;
        for one in &replacements {
            out.push_str(&text[done..one.range.start]);
            out.push_str(&one.text);
            done = one.range.end;
        }
        out.push_str(text.get(done..end).unwrap_or_default());
        (Cow::Owned(out), replacements.len() as u64)
    }

    /// Lists the replacements of all real folders in a text, in order.
    pub(super) fn replacements(
        &self,
        text: &str,
        kind: ContentKind,
        agent: &AgentName,
    ) -> Vec<Replacement> {
        let mut found = self.find(text, kind).peekable();
        let mut replacements = Vec::new();
        while let Some(one) = found.next() {
            // A separator that begins the next match is left to it.
            let limit = found.peek().map_or(text.len(), |next| next.range.start);
            let (stand_in, end) = self.stand_in(&text[..limit], one.range.end, (one.folder, agent));
            replacements.push(Replacement { range: one.range.start..end, text: stand_in });
        }
        replacements
    }

    /// Returns the stand-in for a folder whose path ends at `end`, and the end of all that it
    /// replaces.
    fn stand_in(
        &self,
        text: &str,
        end: usize,
        (folder, agent): (usize, &AgentName),
    ) -> (String, usize) {
        let bytes = text.as_bytes();
        let below = path_reading::skip_separators(bytes, end);
        match &self.folders[folder].stand_in {
            StandIn::Root(root) => (root_address(root), below),
            StandIn::Workspaces => {
                let own = path_reading::name_end(bytes, below, agent.as_str());
                match own.filter(|own| below > end && path_reading::is_name_end(&bytes[*own..])) {
                    Some(own) => {
                        let own_end = path_reading::skip_separators(bytes, own);
                        (root_address(&Root::Workspace), own_end)
                    }
                    None => (StandIn::Workspaces.label().unwrap_or_default().to_owned(), end),
                }
            }
            other => (other.label().unwrap_or_default().to_owned(), end),
        }
    }

    /// Finds the places where a text names a folder, leftmost and longest first, without overlaps.
    fn find<'a>(
        &'a self,
        text: &'a str,
        kind: ContentKind,
    ) -> impl Iterator<Item = FolderMatch> + 'a {
        let found = self.trie.paths_in(text);
        let found = found.map(|(range, folder)| FolderMatch { range, folder });
        found.filter(move |one| self.folders[one.folder].is_named_at(text, &one.range, kind))
    }
}

fn root_address(root: &Root) -> String {
    Address::directory(root.clone(), RelPath::default()).to_string()
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
        check("/work/app/.ai/workspaces/defaults/n", "<workspaces>/defaults/n");
        check("/work/app/.ai/workspaces\"default/n", "<workspaces>\"default/n");
        check("/work/$xapp", "/work/$xapp");
        check("/work/%app /work/&app", "/work/%app /work/&app");
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
    fn a_folder_at_the_end_is_shown_whole_or_not_at_all() {
        let text = "see /work/app/x";
        for (end, expected) in [
            (3, ("see", 0)),
            (4, ("see ", 0)),
            (5, ("see ROOT_PROJECT:/", 1)),
            (13, ("see ROOT_PROJECT:/", 1)),
            (15, ("see ROOT_PROJECT:/x", 1)),
        ] {
            let agent = AgentName::default();
            let (out, count) = landmarks().rewrite_until(text, end, ContentKind::Body, &agent);
            assert_eq!((out.as_ref(), count), expected, "{end}");
        }
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
    fn a_path_is_found_however_it_is_written() {
        for (text, expected) in [
            // Emphasis, strike-through, and what else touches a path.
            ("_/work/app_", "_ROOT_PROJECT:/_"),
            ("__/work/app__", "__ROOT_PROJECT:/__"),
            ("*/work/app* **/work/app/x**", "*ROOT_PROJECT:/* **ROOT_PROJECT:/x**"),
            ("~~/work/app~~", "~~ROOT_PROJECT:/~~"),
            ("`/work/app`", "`ROOT_PROJECT:/`"),
            ("q=/work/app+and+more", "q=ROOT_PROJECT:/+and+more"),
            ("git+file:///work/app@main", "git+file://ROOT_PROJECT:/@main"),
            ("in /work/app--which", "in ROOT_PROJECT:/--which"),
            ("/work/app%26x=1", "ROOT_PROJECT:/%26x=1"),
            ("/work/app%3A12", "ROOT_PROJECT:/%3A12"),
            ("%22/work/app%22", "%22ROOT_PROJECT:/%22"),
            ("/work/app%20x", "ROOT_PROJECT:/%20x"),
            ("/work/app&lt;", "ROOT_PROJECT:/&lt;"),
            (r"/work/app\d", r"ROOT_PROJECT:/\d"),
            (r"/work/app\u12", r"ROOT_PROJECT:/\u12"),
            // Names that change nothing.
            ("/work//app", "ROOT_PROJECT:/"),
            ("//work/.//./app/./x", "ROOT_PROJECT:/x"),
            ("/work/x/../app", "ROOT_PROJECT:/"),
            ("/work/x/y/../../app/z", "ROOT_PROJECT:/z"),
            ("/work/app/../app/z", "ROOT_PROJECT:/z"),
            ("/my work/a/../b/../ünï", "ROOT_PROJECT:/"),
            // Forms, shells, JSON, C, HTML, terminals.
            ("%2Fwork%2fapp%2Fx", "ROOT_PROJECT:/x"),
            ("%252Fwork%252fapp", "ROOT_PROJECT:/"),
            ("%25252Fwork%25252fapp", "ROOT_PROJECT:/"),
            ("p=%2Fmy+work%2F%c3%bcn%C3%AF%2Fx", "p=ROOT_PROJECT:/x"),
            ("%2Fw%6Frk%2Fapp", "ROOT_PROJECT:/"),
            (r"/my\ work/ünï/x", "ROOT_PROJECT:/x"),
            (r"/work/a\pp", "ROOT_PROJECT:/"),
            ("/work/\"app\"/x", "ROOT_PROJECT:/\"/x"),
            ("'/work'/app", "'ROOT_PROJECT:/"),
            ("/work/$'app'", "ROOT_PROJECT:/'"),
            ("/work/\\\napp", "ROOT_PROJECT:/"),
            (r"\\/work\\/app\\/x", "ROOT_PROJECT:/x"),
            (r"\x2fwork\057app", "ROOT_PROJECT:/"),
            (r"\u{2f}work\U0000002fapp", "ROOT_PROJECT:/"),
            (r"/my work/\303\274n\xc3\xaf", "ROOT_PROJECT:/"),
            ("&#47;work&#x2F;app&sol;x", "ROOT_PROJECT:/x"),
            ("&amp;#47;work&#47app", "ROOT_PROJECT:/"),
            ("/work/\u{1b}[01;31mapp\u{1b}[m/x", "ROOT_PROJECT:/\u{1b}[m/x"),
            ("/wo\u{200b}rk/a\u{ad}pp", "ROOT_PROJECT:/"),
            ("/work/**app**/x", "ROOT_PROJECT:/**/x"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn a_character_that_json_writes_as_two_numbers_is_read() {
        let mark = Landmark { path: "/work/\u{1f600}".to_owned(), stand_in: StandIn::Home };
        let landmarks = Landmarks::new(vec![mark]);
        for (text, expected) in [
            (r"/work/\ud83d\ude00/x", "<home>/x"),
            (r"/work/\ud83d\ude01/x", r"/work/\ud83d\ude01/x"),
            (r"/work/\ud83d", r"/work/\ud83d"),
        ] {
            let (out, _) = landmarks.rewrite(text, ContentKind::Body, &AgentName::default());
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn a_folder_with_odd_characters_is_found_in_its_own_spelling() {
        for path in ["/o'brien/100%25/a\\b", "/c++/x & y", "/a*b/`c`", "/$'x'/%2F", "/\u{200b}a/b"]
        {
            let mark = Landmark { path: path.to_owned(), stand_in: StandIn::Home };
            let landmarks = Landmarks::new(vec![mark]);
            let quoted = serde_json::Value::from(path).to_string();
            for text in [path, quoted.as_str(), &path.replace('/', "//")] {
                let (out, count) =
                    landmarks.rewrite(text, ContentKind::Body, &AgentName::default());
                assert_eq!(count, 1, "{text}: {out}");
            }
        }
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
            "/work/app_old /work/app__old /work/app-2 /work/app.-x",
            "/work/app%2Dold",
            "/work/x/app /work/../app /work/x/../../app",
            "/work/* /app",
            "/work/\u{a0}app /work/\napp",
            "C:\\work\\app 100%/work %zz &# \\u12 \\",
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
            ("/app//root", "ROOT_PROJECT:/root"),
            ("プロジェクトは/appにあります", "プロジェクトはROOT_PROJECT:/にあります"),
            ("_/app_ ~~/app/x~~", "_ROOT_PROJECT:/_ ~~ROOT_PROJECT:/x~~"),
            ("see **/app/x**.", "see **ROOT_PROJECT:/x**."),
            ("cd /./app", "cd ROOT_PROJECT:/"),
            ("cd /x/../app /../app", "cd /x/..ROOT_PROJECT:/ /..ROOT_PROJECT:/"),
            ("q=cd+%2Fapp%2Fx", "q=cd+ROOT_PROJECT:/x"),
            ("%3Fp%3D%2Fapp", "%3Fp%3DROOT_PROJECT:/"),
            ("&quot;&#47;app&quot;", "&quot;ROOT_PROJECT:/&quot;"),
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
            "**/app/** */app/*.ts **/root x_/app_ ~/app ~",
            "../app x/../app ./x/../app a/b/../../app ././app",
            "C++%2Fapp src\\/app src&#47;app ROOT_PROJECT%3A%2Fapp",
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
