//! `mere witness`: co-signs the checkpoints of registries.

use std::io;
use std::process::ExitCode;

use mere_registry::{WitnessError, WitnessOptions, WitnessServer};

use crate::arguments::{WitnessArguments, WitnessCommand};
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(arguments: WitnessArguments) -> io::Result<ExitCode> {
    let WitnessCommand::Serve(serve) = arguments.what;
    let options = WitnessOptions {
        listen: serve.listen,
        hosts: serve.host,
        key_file: serve.key_file,
        name: serve.name,
        origins: serve.origin,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = match WitnessServer::bind(&options).await {
            Ok(server) => server,
            Err(error) => {
                let status = match &error {
                    WitnessError::Listen(_, cause) => terminal::listen_status(cause),
                    WitnessError::State(_) => terminal::BROKEN,
                    WitnessError::NoHost | WitnessError::Key(_) => terminal::USAGE,
                };
                return Ok(terminal::print_failure(&error.to_string(), status));
            }
        };
        terminal::print_line(&format!("http://{}", server.address()))?;
        terminal::print_line(&format!("key {}", server.key()))?;
        server.run().await;
        Ok(ExitCode::SUCCESS)
    })
}
