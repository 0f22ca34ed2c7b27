//! A registry of the benchmark: its database, its files and its server, all of them real.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// What a registry is built on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    Sqlite,
    Postgres,
}

/// Where a registry lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    InMemory,
    OnDisk,
}

/// The namespaces that items are spread over.
pub(super) const NAMESPACES: [&str; 10] =
    ["acme", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "isle", "juniper"];

/// A registry.
pub(super) struct RegistryHost {
    pub(super) backend: Backend,
    folder: TempDir,
    database: Option<PostgresServer>,
}

/// A server of the registry, until it is dropped.
pub(super) struct RegistryProcess {
    child: Child,
    pub(super) address: String,
}

/// A server of `PostgreSQL`, until it is dropped.
struct PostgresServer {
    shell: Child,
    input: Option<ChildStdin>,
}

impl Backend {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite and files",
            Self::Postgres => "PostgreSQL and files",
        }
    }
}

impl RegistryHost {
    /// Creates an empty registry.
    pub(super) fn create(backend: Backend, stage: Stage) -> Result<Self, String> {
        let folder = new_folder(stage)?;
        let mut host = Self { backend, folder, database: None };
        if backend == Backend::Postgres {
            let at = host.path("cluster");
            run_shell(&format!(
                "{} {}/initdb -D {} -A trust -U mere --locale=C.UTF-8 --no-sync",
                as_postgres(),
                programs()?.display(),
                at.display()
            ))?;
            host.start_database()?;
            host.run_psql("postgres", "CREATE DATABASE registry")?;
        }
        Ok(host)
    }

    /// Creates the accounts and namespaces, with the author's key.
    pub(super) fn set_up(&self, public_line: &str) -> Result<(), String> {
        let key = self.path("author.pub");
        std::fs::write(&key, public_line).map_err(|error| error.to_string())?;
        let key = key.display().to_string();
        self.operate(&["user", "add", "ada"])?;
        for namespace in NAMESPACES {
            self.operate(&["namespace", "create", namespace, "--owner", "ada"])?;
            self.operate(&["key", "add", namespace, &key])?;
        }
        Ok(())
    }

    /// Creates a token with which everything may be published.
    pub(super) fn token(&self) -> Result<String, String> {
        let scopes = NAMESPACES.map(|namespace| format!("publish:{namespace}/*"));
        let mut words = vec!["token", "create", "--user", "ada"];
        words.extend(scopes.iter().flat_map(|scope| ["--scope", scope]));
        self.operate(&words)
    }

    /// Starts a server.
    pub(super) fn serve(&self) -> Result<RegistryProcess, String> {
        // All requests come from one client here.
        let words = ["serve", "--listen", "127.0.0.1:0", "--log", "error", "--rate", "1000000"];
        let mut command = self.command(&words);
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|why| why.to_string())?;
        let output = child.stdout.take().ok_or("no output")?;
        // The second line is the key of its log, after which it serves.
        let lines = BufReader::new(output).lines().take(2).collect::<Result<Vec<_>, _>>();
        let lines = lines.map_err(|error| error.to_string())?;
        let [line, _] = lines.as_slice() else {
            return Err("the server does not start".to_owned());
        };
        Ok(RegistryProcess { child, address: line.trim_start_matches("http://").to_owned() })
    }

    /// Moves everything to the disk.
    pub(super) fn move_to_disk(&mut self) -> Result<(), String> {
        if self.backend == Backend::Postgres {
            // What a server of its own does within minutes, and a server that runs for long has done.
            self.run_psql("registry", "VACUUM ANALYZE")?;
        }
        self.database = None;
        let folder = new_folder(Stage::OnDisk)?;
        let (from, to) = (self.folder.path().display(), folder.path().display());
        run_shell(&format!("cp -a {from}/. {to}/ && sync -f {to}"))?;
        self.folder = folder;
        if self.backend == Backend::Postgres {
            self.start_database()?;
        }
        Ok(())
    }

    /// Returns a path in the folder of the registry.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs SQL in a database, and returns what it prints.
    pub(super) fn run_psql(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut psql = Command::new(programs()?.join("psql"));
        psql.arg("-h").arg(self.folder.path()).args(["-U", "mere", "-At", "-c", sql, database]);
        let output = psql.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(text) } else { Err(why) }
    }

    fn start_database(&mut self) -> Result<(), String> {
        let (at, bin) = (self.folder.path().display().to_string(), programs()?);
        let options = "-c listen_addresses= -c max_connections=100";
        let user = as_postgres();
        let script = format!(
            "{user} {}/postgres -D {at}/cluster -k {at} {options} & pid=$!; cat >/dev/null; \
             kill -INT $pid; wait $pid",
            bin.display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).stdin(Stdio::piped());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = shell.spawn().map_err(|error| error.to_string())?;
        let input = shell.stdin.take();
        self.database = Some(PostgresServer { shell, input });
        let began = Instant::now();
        while self.run_psql("postgres", "SELECT 1").is_err() {
            if began.elapsed() > Duration::from_mins(1) {
                return Err("PostgreSQL does not start".to_owned());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn command(&self, words: &[&str]) -> Command {
        let at = self.folder.path().display();
        let database = match self.backend {
            Backend::Sqlite => format!("sqlite:{at}/registry.db"),
            Backend::Postgres => format!("postgres://mere@localhost/registry?host={at}"),
        };
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/mere");
        let mut command = Command::new(program);
        command.arg("registry").args(words).args(["--database", &database]);
        command.args(["--blobs", &format!("file:{at}/blobs")]);
        command.env_clear().env("HOME", self.folder.path()).stdin(Stdio::null());
        command
    }

    fn operate(&self, words: &[&str]) -> Result<String, String> {
        let output = self.command(words).output();
        let output = output.map_err(|why| {
            format!("{why}: run `cargo build --release --package mere --features postgres` first")
        })?;
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() { Ok(text) } else { Err(why) }
    }
}

impl RegistryProcess {
    /// Returns the memory that is the process's own, in megabytes.
    pub(super) fn memory(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.unwrap_or(f64::NAN) / 1024.0
    }
}

impl Drop for RegistryProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.flush();
        }
        let _ = self.shell.wait();
    }
}

fn new_folder(stage: Stage) -> Result<TempDir, String> {
    let memory = Path::new("/dev/shm");
    let folder = match stage {
        Stage::InMemory if memory.is_dir() => tempfile::tempdir_in(memory),
        Stage::InMemory | Stage::OnDisk => tempfile::tempdir(),
    };
    let folder = folder.map_err(|error| error.to_string())?;
    // PostgreSQL runs as another user.
    run_shell(&format!("chmod 777 {}", folder.path().display()))?;
    Ok(folder)
}

fn programs() -> Result<PathBuf, String> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").map_err(|error| error.to_string())?;
    let folders = versions.flatten().map(|entry| entry.path().join("bin"));
    folders.max().ok_or_else(|| "PostgreSQL is not installed".to_owned())
}

/// `PostgreSQL` refuses to run as root.
fn as_postgres() -> &'static str {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|found| {
        use std::os::unix::fs::MetadataExt;
        found.uid() == 0
    });
    if is_root { "setpriv --reuid=postgres --regid=postgres --clear-groups" } else { "" }
}

fn run_shell(script: &str) -> Result<(), String> {
    let output = Command::new("sh").args(["-c", script]).output();
    let output = output.map_err(|error| error.to_string())?;
    let why = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{script}: {why}")) }
}
