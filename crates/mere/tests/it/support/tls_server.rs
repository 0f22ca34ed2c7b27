//! A web server that speaks TLS as `localhost`, with a certificate that an authority of its own signed.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// `openssl s_server`, which answers each request with a page about the connection.
pub(crate) struct TlsServer {
    pub(crate) port: u16,
    folder: tempfile::TempDir,
    process: Child,
}

impl TlsServer {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        make_certificates(&folder);
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let process = openssl(&folder)
            .args(["s_server", "-www", "-quiet", "-accept", &port.to_string()])
            .args(["-cert", "server.pem", "-key", "server.key"])
            .stdin(Stdio::null())
            .spawn()
            .expect("openssl runs");
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "the server does not start");
            thread::sleep(Duration::from_millis(20));
        }
        Self { port, folder, process }
    }

    /// The certificate of the authority.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn openssl(folder: &tempfile::TempDir) -> Command {
    let mut command = Command::new("openssl");
    command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Makes an authority, and a certificate of it for `localhost`.
pub(crate) fn make_certificates(folder: &tempfile::TempDir) {
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let authority = ["-subj", "/CN=Authority", "-keyout", "authority.key", "-out", "authority.pem"];
    let status = openssl(folder).args(["req", "-x509"]).args(key).args(authority).status();
    assert!(status.expect("openssl runs").success());
    let server = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    let issuer = ["-CA", "authority.pem", "-CAkey", "authority.key"];
    let use_only = ["-addext", "basicConstraints=critical,CA:FALSE"];
    let files = ["-keyout", "server.key", "-out", "server.pem"];
    let status = openssl(folder)
        .args(["req", "-x509"])
        .args(key)
        .args(server)
        .args(issuer)
        .args(use_only)
        .args(files)
        .status();
    assert!(status.expect("openssl runs").success());
}
