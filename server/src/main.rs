//! `berth-server`: reads the settings, then runs the portal or an `admin` command.

use std::process::ExitCode;

use clap::Parser;
use server::config::{Cli, Command, Config};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let config = match cli.settings.check().and_then(|config| server::logging::start(&config).map(|()| config)) {
        Ok(config) => config,
        Err(error) => return fail(&error, 2),
    };
    // Leptos can wait for itself with fewer threads than this, however few cores there are.
    let threads = std::thread::available_parallelism().map_or(4, |cores| cores.get().max(4));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(act(config, cli.command)),
        Err(error) => return fail(&error, 1),
    };
    result.map_or_else(|error| fail(error.as_ref(), 1), |()| ExitCode::SUCCESS)
}

async fn act(config: Config, command: Option<Command>) -> Result<(), Box<dyn std::error::Error>> {
    match command {
        Some(Command::ConfigTable) => print!("{}", server::config::table()),
        Some(Command::Admin(command)) => server::admin::run(&config, command).await?,
        None => {
            tracing::info!(?config, version = env!("CARGO_PKG_VERSION"), "starting");
            let listener = server::run::listen(config.listen).await?;
            server::run(config, listener, server::run::until_signal()).await?;
        }
    }
    Ok(())
}

fn fail(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("berth-server: {error}");
    ExitCode::from(code)
}
