//! A `PostgreSQL` that takes encrypted connections only, with a certificate of an authority of its own.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use super::client::free_port;
use super::servers::{as_nobody, programs, run_shell, start_until_the_end, wait_until};
use crate::support::tls_server::make_certificates;

/// The server.
struct EncryptedCluster {
    folder: TempDir,
    port: u16,
    _shell: Child,
}

impl EncryptedCluster {
    fn start() -> Self {
        let (folder, port, bin) = (TempDir::new().expect("a folder"), free_port(), programs());
        let (at, bin, user) = (folder.path().display(), bin.display(), as_nobody());
        make_certificates(&folder);
        run_shell(&format!("chmod 777 {at} && chmod 600 {at}/server.key"));
        if !user.is_empty() {
            run_shell(&format!("chown postgres {at}/server.key"));
        }
        run_shell(&format!("{user} {bin}/initdb -D {at}/data -A trust -U mere --no-sync"));
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(folder.path().join("data/pg_hba.conf"), rules).expect("the rules");
        let tls =
            format!("-c ssl=on -c ssl_cert_file={at}/server.pem -c ssl_key_file={at}/server.key");
        let options = format!("-c listen_addresses=127.0.0.1 -c port={port} -c fsync=off {tls}");
        let shell =
            start_until_the_end(&format!("{user} {bin}/postgres -D {at}/data -k {at} {options}"));
        let cluster = Self { folder, port, _shell: shell };
        wait_until("PostgreSQL", || cluster.psql("SELECT 1").status.success());
        assert!(cluster.psql("CREATE DATABASE registry").status.success());
        cluster
    }

    /// Runs SQL over the socket of the server, which is not encrypted.
    fn psql(&self, sql: &str) -> Output {
        let mut psql = Command::new(programs().join("psql"));
        psql.arg("-h").arg(self.folder.path()).args(["-p", &self.port.to_string()]);
        psql.args(["-U", "mere", "-At", "-c", sql, "postgres"]).output().expect("psql")
    }

    /// Creates an account in the registry, and returns what the program says.
    fn add_account(&self, name: &str, address: &str, authority: Option<&Path>) -> Output {
        let database =
            format!("postgres://mere@{}", address.replace("PORT", &self.port.to_string()));
        let blobs = format!("file:{}/blobs", self.folder.path().display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_mere"));
        command.args(["registry", "user", "add", name, "--database", &database, "--blobs", &blobs]);
        command.env_clear().env("HOME", self.folder.path()).stdin(Stdio::null());
        command.envs(authority.map(|path| ("SSL_CERT_FILE", path)));
        command.output().expect("the program runs")
    }
}

#[test]
fn an_encrypted_connection_is_made_only_to_the_server_that_was_meant() {
    let cluster = EncryptedCluster::start();
    let own = cluster.folder.path().join("authority.pem");
    let other = TempDir::new().expect("a folder");
    make_certificates(&other);
    let other = other.path().join("authority.pem");
    let required = "localhost:PORT/registry?sslmode=require";
    let unnamed = "127.0.0.1:PORT/registry?sslmode=require";
    for (name, address, authority, why) in [
        ("another-authority", required, Some(&other), "invalid peer certificate"),
        ("no-authority", required, None, "invalid peer certificate"),
        ("another-name", unnamed, Some(&own), "not valid for name"),
        ("not-encrypted", "localhost:PORT/registry", Some(&own), "no encryption"),
    ] {
        let output = cluster.add_account(name, address, authority.map(std::path::PathBuf::as_path));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{name}: {said}");
    }
    let output = cluster.add_account("ada", required, Some(&own));
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_server_that_cannot_encrypt_is_not_spoken_to_when_that_is_required() {
    let database = super::servers::new_database();
    let folder = TempDir::new().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mere"));
    let blobs = format!("file:{}/blobs", folder.path().display());
    let database = format!("{database}&sslmode=require");
    command.args(["registry", "user", "list", "--database", &database, "--blobs", &blobs]);
    let output = command.env_clear().env("HOME", folder.path()).output().expect("the program runs");
    assert!(!output.status.success(), "{output:?}");
}
