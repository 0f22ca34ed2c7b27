//! TLS to `PostgreSQL`, for URLs that say `sslmode=require`.
//!
//! The server's certificate must be valid for the host of the URL, by the authorities of the system
//! or those that `SSL_CERT_FILE` names. There is no way to encrypt without that: whoever sits in
//! between could then answer as well.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{InvalidDnsNameError, ServerName};
use tokio_rustls::{TlsConnector, client};

use super::DatabaseError;

/// Connects with TLS, and verifies the server.
#[derive(Clone)]
pub(super) struct VerifiedTls {
    connector: TlsConnector,
}

/// Connects to one server.
pub(super) struct VerifiedConnect {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// A connection that is encrypted.
pub(super) struct EncryptedStream<S>(Box<client::TlsStream<S>>);

impl VerifiedTls {
    pub(super) fn new() -> Result<Self, DatabaseError> {
        let failed = |why: &dyn std::fmt::Display| DatabaseError::Failed(format!("TLS: {why}"));
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().map_err(|why| failed(&why))?;
        let config = config.with_platform_verifier().map_err(|why| failed(&why))?;
        let config = Arc::new(config.with_no_client_auth());
        Ok(Self { connector: config.into() })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for VerifiedTls {
    type Stream = EncryptedStream<S>;
    type TlsConnect = VerifiedConnect;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<VerifiedConnect, InvalidDnsNameError> {
        let name = ServerName::try_from(host.to_owned())?;
        Ok(VerifiedConnect { connector: self.connector.clone(), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for VerifiedConnect {
    type Stream = EncryptedStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let stream = self.connector.connect(self.name, stream).await?;
            Ok(EncryptedStream(Box::new(stream)))
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
