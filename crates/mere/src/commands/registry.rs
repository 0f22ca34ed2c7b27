//! `mere registry`: serves a registry, and does what its operator asks for.
//!
//! These commands act on the database of the registry, not on a space, so they need no session.

use std::io;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use mere_registry::{
    Privacy, Registry, RegistryError, RegistryOptions, RegistryServer, ServeError, ServeOptions,
    SweepMode, TokenRequest,
};
use serde_json::json;

use crate::arguments::{
    AnswerArguments, Moment, RegistryArguments, RegistryCommandArguments, RegistryKeyCommand,
    RegistryNamespaceCommand, RegistryServeArguments, RegistryTokenCommand, RegistryUserCommand,
};
use crate::print::registry::{self, OperatorAnswer};
use crate::print::terminal;

/// How many calls of the database run at once.
const MAX_BLOCKING_THREADS: usize = 32;

/// Runs the command.
pub(crate) fn run(arguments: RegistryArguments) -> io::Result<ExitCode> {
    let options = RegistryOptions::from(arguments.place);
    let opened = match &arguments.what {
        RegistryCommandArguments::Audit { .. } | RegistryCommandArguments::Sweep { .. } => {
            Registry::open_existing(&options)
        }
        _ => Registry::open(&options),
    };
    let registry = match opened {
        Ok(registry) => registry,
        Err(error @ RegistryError::Missing(_)) => {
            return Ok(terminal::print_failure(&error.to_string(), terminal::INVALID));
        }
        Err(error) => {
            let message = format!("the registry cannot be opened: {error}");
            return Ok(terminal::print_failure(&message, terminal::BROKEN));
        }
    };
    let (answer, result) = match arguments.what {
        RegistryCommandArguments::Serve(serve) => return run_server(registry, &serve),
        RegistryCommandArguments::User(command) => run_user(&registry, command),
        RegistryCommandArguments::Namespace(command) => run_namespace(&registry, command),
        RegistryCommandArguments::Key(command) => run_key(&registry, command),
        RegistryCommandArguments::Token(command) => run_token(&registry, command),
        RegistryCommandArguments::Audit { events, answer } => {
            (answer, if events { list_events(&registry) } else { audit(&registry) })
        }
        RegistryCommandArguments::Sweep { older_than, dry_run, answer } => {
            let mode = if dry_run { SweepMode::Count } else { SweepMode::Remove };
            (answer, sweep(&registry, older_than, mode))
        }
    };
    registry::print(&answer, result)
}

/// A command's option for its reply, and the reply.
type Outcome = (AnswerArguments, Result<OperatorAnswer, RegistryError>);

/// Serves until the process is told to stop.
fn run_server(registry: Registry, arguments: &RegistryServeArguments) -> io::Result<ExitCode> {
    let options = ServeOptions {
        listen: arguments.listen.clone(),
        hosts: arguments.host.clone(),
        rate: arguments.rate,
        witnesses: arguments.witness.clone(),
    };
    let fingerprint = registry.log_key().fingerprint();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.max_blocking_threads(MAX_BLOCKING_THREADS).enable_all().build()?;
    runtime.block_on(async {
        let server = match RegistryServer::bind(registry, &options).await {
            Ok(server) => server,
            Err(error) => {
                let status = match &error {
                    ServeError::Listen(_, cause) => terminal::listen_status(cause),
                    ServeError::NoHost => terminal::USAGE,
                };
                return Ok(terminal::print_failure(&error.to_string(), status));
            }
        };
        terminal::print_line(&format!("http://{}", server.address()))?;
        terminal::print_line(&format!("log key {fingerprint}"))?;
        server.run().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn run_user(registry: &Registry, command: RegistryUserCommand) -> Outcome {
    match command {
        RegistryUserCommand::Add { name, answer } => {
            let added = registry.add_account(&name).map(|account| {
                let data = json!({ "name": account.name });
                OperatorAnswer::changed(format!("The account {} was created.", account.name), &data)
            });
            (answer, added)
        }
        RegistryUserCommand::List(answer) => {
            (answer, registry.list_accounts().map(|all| registry::accounts(&all)))
        }
    }
}

fn run_namespace(registry: &Registry, command: RegistryNamespaceCommand) -> Outcome {
    match command {
        RegistryNamespaceCommand::Create { name, owner, private, answer } => {
            let privacy = if private { Privacy::Private } else { Privacy::Public };
            let created = registry.create_namespace(&name, &owner, privacy).map(|()| {
                let name = name.as_namespace();
                let data = json!({ "name": name.as_str(), "owner": owner, "private": private });
                OperatorAnswer::changed(format!("The namespace {name} was created."), &data)
            });
            (answer, created)
        }
        RegistryNamespaceCommand::List(answer) => {
            (answer, registry.list_namespaces().map(|all| registry::namespaces(&all)))
        }
    }
}

fn run_key(registry: &Registry, command: RegistryKeyCommand) -> Outcome {
    match command {
        RegistryKeyCommand::Add { namespace, file, answer } => {
            let unreadable = |error| {
                let words = "the author's public key, which `mere keys export > FILE` writes";
                RegistryError::File(format!("{words}: {error}"))
            };
            let key = file.read_public_key().map_err(unreadable);
            let added = key.and_then(|text| {
                let key = text.parse::<mere_core::trust::PublicKey>();
                let key = key.map_err(|error| RegistryError::File(error.to_string()))?;
                let index = registry.add_key(&namespace, &key)?;
                let words = format!("Signatures by {} count in {namespace}.", key.fingerprint());
                let data = json!({ "key": key.fingerprint().to_string(), "index": index });
                Ok(OperatorAnswer::changed(words, &data))
            });
            (answer, added)
        }
        RegistryKeyCommand::List(answer) => {
            (answer, registry.list_keys().map(|all| registry::keys(&all)))
        }
        RegistryKeyCommand::Remove { namespace, key, answer } => {
            let removed = registry.remove_key(&namespace, key).map(|index| {
                let words = format!("New signatures by {key} do not count in {namespace}.");
                OperatorAnswer::changed(words, &json!({ "key": key.to_string(), "index": index }))
            });
            (answer, removed)
        }
    }
}

fn run_token(registry: &Registry, command: RegistryTokenCommand) -> Outcome {
    match command {
        RegistryTokenCommand::Create { user, scope, expires, answer } => {
            let request = expiry(expires).map(|expires| TokenRequest {
                account: user,
                scopes: scope,
                expires,
            });
            let created = request.and_then(|request| registry.create_token(&request));
            (answer, created.map(|created| registry::created_token(&created)))
        }
        RegistryTokenCommand::Revoke { id, answer } => {
            let revoked = registry.revoke_token(&id).map(|()| {
                let words = "Revoked. Running servers refuse it from now on.".to_owned();
                OperatorAnswer::changed(words, &json!({ "id": id }))
            });
            (answer, revoked)
        }
        RegistryTokenCommand::List(answer) => {
            (answer, registry.list_tokens().map(|all| registry::tokens(&all)))
        }
    }
}

fn expiry(expires: Option<Moment>) -> Result<Option<Timestamp>, RegistryError> {
    let expires = expires.map(|moment| moment.resolve(now())).transpose();
    expires.map_err(|_| RegistryError::Malformed("the time is too far away"))
}

/// Returns the time of the machine's clock.
pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Timestamp::from_second(i64::try_from(since.as_secs()).unwrap_or_default());
    now.unwrap_or_default()
}

fn sweep(
    registry: &Registry,
    older_than: Moment,
    mode: SweepMode,
) -> Result<OperatorAnswer, RegistryError> {
    let before = older_than.resolve_before(now());
    let before = before.map_err(|_| RegistryError::Malformed("the time is too far away"))?;
    registry.sweep_blobs(before, mode).map(|report| registry::sweep_report(&report, mode))
}

fn list_events(registry: &Registry) -> Result<OperatorAnswer, RegistryError> {
    registry.list_events().map(|all| registry::events(&all))
}

fn audit(registry: &Registry) -> Result<OperatorAnswer, RegistryError> {
    registry.audit().map(|report| registry::audit_report(&report))
}
