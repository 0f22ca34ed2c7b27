//! The real servers that a registry can be built on: `PostgreSQL`, and an S3 server.
//!
//! Each is started once for all tests, and ends when the tests do: it is the child of a shell that
//! waits for the end of its input.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::client;

/// The name of the superuser of the cluster.
const USER: &str = "mere";

struct Cluster {
    folder: TempDir,
    _shell: Child,
}

pub(super) fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed");
    let folders = versions.map(|entry| entry.expect("a folder").path().join("bin"));
    folders.max().expect("a version of PostgreSQL")
}

/// Starts a program that ends with the tests.
pub(super) fn start_until_the_end(command: &str) -> Child {
    let script = format!("{command} & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdin(Stdio::piped());
    shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell")
}

/// `PostgreSQL` refuses to run as root.
pub(super) fn as_nobody() -> &'static str {
    let is_root = rustix::process::geteuid().is_root();
    if is_root { "setpriv --reuid=postgres --regid=postgres --clear-groups" } else { "" }
}

pub(super) fn run_shell(script: &str) {
    let output = Command::new("sh").args(["-c", script]).output().expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {errors}");
}

pub(super) fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < Duration::from_mins(1), "{what} did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| {
        let folder = TempDir::new().expect("a folder");
        let (at, bin) = (folder.path().display(), programs());
        let bin = bin.display();
        run_shell(&format!("chmod 777 {at}"));
        let user = as_nobody();
        run_shell(&format!("{user} {bin}/initdb -D {at}/data -A trust -U {USER} --no-sync"));
        let options = "-c listen_addresses= -c fsync=off -c max_connections=300";
        let shell =
            start_until_the_end(&format!("{user} {bin}/postgres -D {at}/data -k {at} {options}"));
        let socket = folder.path().join(".s.PGSQL.5432");
        wait_until("PostgreSQL", || {
            socket.exists() && try_sql(folder.path(), "postgres", "SELECT 1").is_some()
        });
        Cluster { folder, _shell: shell }
    })
}

fn try_sql(socket: &Path, database: &str, sql: &str) -> Option<String> {
    let mut psql = Command::new(programs().join("psql"));
    psql.arg("-h").arg(socket).args(["-U", USER, "-At", "-c", sql, database]);
    let output = psql.output().expect("psql");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Creates a database, and returns its URL.
pub(super) fn new_database() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("registry_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let socket = cluster().folder.path();
    try_sql(socket, "postgres", &format!("CREATE DATABASE {name}")).expect("a database");
    format!("postgres://{USER}@localhost/{name}?host={}", socket.display())
}

/// Runs SQL in a database that [`new_database`] created.
pub(super) fn run_sql(url: &str, sql: &str) -> String {
    let name = url.split('?').next().and_then(|url| url.rsplit('/').next()).expect("a name");
    try_sql(cluster().folder.path(), name, sql).unwrap_or_else(|| panic!("{sql}"))
}

struct S3Server {
    port: u16,
    _shell: Child,
}

fn s3_server() -> &'static S3Server {
    static SERVER: OnceLock<S3Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let port = client::free_port();
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp-tools");
        let moto = tools.join("venv/bin/moto_server");
        assert!(moto.exists(), "`./test` installs the S3 server");
        let mut shell = start_until_the_end(&format!("{} -H 127.0.0.1 -p {port}", moto.display()));
        shell.stdin.as_mut().expect("its input").flush().expect("an open pipe");
        wait_until("the S3 server", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        S3Server { port, _shell: shell }
    })
}

/// Creates a bucket, and returns its URL.
pub(super) fn new_bucket() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("items-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let port = s3_server().port;
    let address = format!("127.0.0.1:{port}");
    let reply = client::Client::new(&address).send("PUT", &format!("/{name}"), b"");
    assert_eq!(reply.status, 200, "a bucket");
    format!("s3://{name}/blobs?endpoint=http://{address}&region=us-east-1")
}
