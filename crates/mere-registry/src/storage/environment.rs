//! The variables that the registry reads.

use std::env;
use std::path::PathBuf;

use zeroize::Zeroizing;

/// What a bucket is opened with.
pub(crate) struct BucketCredentials {
    /// The name of the key.
    pub(crate) key_id: String,
    /// The key.
    pub(crate) secret: Zeroizing<String>,
    /// The token of a session, if the key is temporary.
    pub(crate) session: Option<String>,
}

/// Returns a variable that is set and not empty.
pub(crate) fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the credentials that S3 clients use.
pub(crate) fn bucket_credentials() -> Option<BucketCredentials> {
    Some(BucketCredentials {
        key_id: setting("AWS_ACCESS_KEY_ID")?,
        secret: setting("AWS_SECRET_ACCESS_KEY")?.into(),
        session: setting("AWS_SESSION_TOKEN"),
    })
}

/// Returns the folder for data, created if it is missing.
pub(crate) fn data_folder() -> Option<String> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base =
        absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?;
    let folder = base.join("merestone");
    std::fs::create_dir_all(&folder).ok()?;
    folder.into_os_string().into_string().ok()
}
