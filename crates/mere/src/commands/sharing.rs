//! The commands that share items through a registry: each makes its request, and asks the person what
//! only a person decides: whether a log key and an unknown author are trusted.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use mere_core::gate::Cleared;
use mere_core::log::LogFingerprint;
use mere_core::reply::codes;
use mere_core::request::{
    ItemCommand, Login, PersonCommand, PullItem, RegistryAction, RegistryCommand, Secret,
    SignerKey, TrustCommand,
};
use mere_engine::{Terminal, TypedPath, read_file};

use crate::arguments::{
    LoginArguments, LogoutArguments, MirrorArguments, OutdatedArguments, PublishArguments,
    PullArguments, RegistryChoiceArguments, SharingSubcommand, UpdateArguments, YankArguments,
};
use crate::commands::person_session::{PersonSession, PrintMethod, report_refusal};
use crate::print::reply::{ReplySentences, ReplyView};
use crate::print::sharing::{ShownLogKey, UnknownAuthor};
use crate::print::{Printer, terminal};

/// The longest token that is read, in bytes.
const MAX_TOKEN_BYTES: u64 = 1024;

impl PersonSession {
    pub(crate) fn run_sharing(&self, command: SharingSubcommand) -> io::Result<ExitCode> {
        match command {
            SharingSubcommand::Login(arguments) => self.log_in(&arguments),
            SharingSubcommand::Logout(arguments) => self.log_out(&arguments),
            SharingSubcommand::Publish(arguments) => self.publish(&arguments),
            SharingSubcommand::Pull(arguments) => self.pull(&arguments),
            SharingSubcommand::Update(arguments) => self.update(&arguments),
            SharingSubcommand::Outdated(arguments) => self.list_outdated(&arguments),
            SharingSubcommand::Yank(arguments) => self.yank(&arguments),
            SharingSubcommand::Mirror(arguments) => self.mirror(&arguments),
        }
    }

    /// Logs in. The log key is pinned after a yes, or if it is the one that the person named.
    fn log_in(&self, arguments: &LoginArguments) -> io::Result<ExitCode> {
        let token = match read_token(arguments) {
            Ok(token) => token,
            Err(error) => {
                let words = format!("the token cannot be read: {error}");
                return Ok(terminal::print_failure(&words, terminal::INVALID));
            }
        };
        let login = |log_key: Option<LogFingerprint>| {
            let (token, namespace) = (token.clone(), arguments.namespace.clone());
            let action = RegistryAction::Login(Login { token, namespace, log_key });
            self.call_registry("login", Some(arguments.url.clone()), action)
        };
        let reply = login(arguments.log_key);
        let is_new = reply.code() == codes::LOGIN_NEW_KEY.id();
        if !is_new || arguments.answer.json && !terminal::can_ask() {
            return self.print_reply(&reply, &arguments.answer, Printer::outcome);
        }
        let shown = ReplyView::<ShownLogKey>::read(&reply)?;
        let printer = self.printer(arguments.answer.color);
        terminal::print_error_text(&printer.log_key(&shown));
        if !(terminal::can_ask() && terminal::ask_yes_or_no("Trust this log key?")?) {
            let answers = "`--log-key` with its fingerprint accepts it";
            return Ok(report_refusal("you are not logged in", answers));
        }
        let reply = login(shown.data.log_key.parse().ok());
        self.print_reply(&reply, &arguments.answer, Printer::outcome)
    }

    fn log_out(&self, arguments: &LogoutArguments) -> io::Result<ExitCode> {
        self.share("logout", &arguments.registry, RegistryAction::Logout, Printer::outcome)
    }

    fn publish(&self, arguments: &PublishArguments) -> io::Result<ExitCode> {
        let action = RegistryAction::Publish(arguments.to_request());
        self.share("publish", &arguments.registry, action, Printer::publication)
    }

    /// Installs an item. An unknown author is trusted only after a yes at a terminal.
    fn pull(&self, arguments: &PullArguments) -> io::Result<ExitCode> {
        let request = arguments.to_request();
        let reply = self.call_pull(&arguments.registry, &request)?;
        self.print_reply(&reply, &arguments.registry.answer, Printer::installation)
    }

    fn call_pull(&self, choice: &RegistryChoiceArguments, item: &PullItem) -> io::Result<Cleared> {
        let pull = || {
            let action = RegistryAction::Pull(item.clone());
            self.call_registry("pull", choice.url.clone(), action)
        };
        let mut reply = pull();
        // A tool may run on tools of other authors, each of whom is asked about once.
        while reply.code() == codes::AUTHOR_UNKNOWN.id() && self.trust_author(&reply)? {
            reply = pull();
        }
        Ok(reply)
    }

    /// Asks whether an author is to be trusted, and returns whether the author is trusted now.
    fn trust_author(&self, reply: &Cleared) -> io::Result<bool> {
        let author = ReplyView::<UnknownAuthor>::read(reply)?;
        let key = author.data.key.as_deref().and_then(|key| key.parse().ok());
        let Some(key) = key.filter(|_| terminal::can_ask()) else { return Ok(false) };
        let printer = self.printer(crate::arguments::ColourArgument::Auto);
        terminal::print_error_text(&printer.unknown_author(&author));
        if !terminal::ask_yes_or_no("Trust everything that this key signs, in all your projects?")?
        {
            return Ok(false);
        }
        let name = author.data.namespace.parse().ok();
        let limits = mere_core::trust::KeyLimits::default();
        let trust = TrustCommand::Add { key: SignerKey::Line(key), name, limits };
        let added = self.call("trust", PersonCommand::Trust(trust));
        if added.reply_type() != mere_core::reply::ReplyType::Success {
            terminal::print_refusal(&added)?;
            return Ok(false);
        }
        // It stays trusted, whatever becomes of the item.
        let trusted = ReplySentences::read(&added)?.message;
        let fingerprint = author.data.fingerprint;
        terminal::print_note(&format!(
            "{trusted} `mere trust remove {fingerprint}` takes it back."
        ));
        Ok(true)
    }

    fn update(&self, arguments: &UpdateArguments) -> io::Result<ExitCode> {
        let only = arguments.kind.map(|kind| kind.kind).zip(arguments.item.clone());
        let action = RegistryAction::Update { only };
        self.share("update", &arguments.registry, action, Printer::updates)
    }

    fn list_outdated(&self, arguments: &OutdatedArguments) -> io::Result<ExitCode> {
        let action = RegistryAction::Outdated;
        self.share("outdated", &arguments.registry, action, Printer::updates)
    }

    fn yank(&self, arguments: &YankArguments) -> io::Result<ExitCode> {
        let (kind, item) = (arguments.item.kind.kind, arguments.item.item.clone());
        let action = RegistryAction::Yank { kind, item };
        self.share("yank", &arguments.registry, action, Printer::outcome)
    }

    fn mirror(&self, arguments: &MirrorArguments) -> io::Result<ExitCode> {
        let folder = arguments.folder.clone();
        let namespace = arguments.namespace.clone();
        let action = RegistryAction::Mirror { folder, namespace };
        self.share("mirror", &arguments.registry, action, Printer::outcome)
    }

    /// Makes a call about a registry, and prints the reply.
    fn share<T: serde::de::DeserializeOwned>(
        &self,
        tool: &'static str,
        choice: &RegistryChoiceArguments,
        action: RegistryAction,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        let reply = self.call_registry(tool, choice.url.clone(), action);
        self.print_reply(&reply, &choice.answer, show)
    }

    fn call_registry(
        &self,
        tool: &'static str,
        registry: Option<String>,
        action: RegistryAction,
    ) -> Cleared {
        self.call(tool, ItemCommand::Registry(RegistryCommand { registry, action }))
    }
}

/// Reads the token from the file that was named, from the terminal, or from standard input. Nothing
/// means that the registry is read without one.
fn read_token(arguments: &LoginArguments) -> io::Result<Option<Secret>> {
    if arguments.no_token || arguments.url.starts_with("file:") {
        return Ok(None);
    }
    if let Some(file) = &arguments.token_file {
        return read_token_file(file);
    }
    if io::stdin().is_terminal() {
        let Some(mut terminal) = Terminal::open() else { return Ok(None) };
        let token = terminal.ask_hidden("Token (empty for none): ")?;
        return Ok(token.filter(|token| !token.is_empty()));
    }
    let mut text = String::new();
    io::stdin().lock().take(MAX_TOKEN_BYTES).read_to_string(&mut text)?;
    Ok(token_from_text(&text))
}

fn read_token_file(file: &TypedPath) -> io::Result<Option<Secret>> {
    let bytes = read_file(file, None, MAX_TOKEN_BYTES)?;
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| io::Error::other("it is not a token"))?;
    token_from_text(&text).map(Some).ok_or_else(|| io::Error::other("the file is empty"))
}

fn token_from_text(text: &str) -> Option<Secret> {
    Some(Secret::new(text.trim().to_owned())).filter(|token| !token.is_empty())
}
