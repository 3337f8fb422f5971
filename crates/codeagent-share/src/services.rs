//! The services that hold a store: how each is opened, and what its failures mean.
//!
//! Settings and credentials are read from the variables that the service's own tools use.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreScheme, RetryConfig};
use url::Url;

use crate::ShareError;
use crate::http::Connector;

/// Maximum length of a reason in an error, in bytes.
const LONGEST_REASON: usize = 300;

/// Where a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// A folder.
    Local,
    /// Amazon S3, or one that speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Service {
    /// Returns the service of a URL, and the path in the bucket; an error says what is wrong.
    pub fn of(url: &Url) -> Result<(Self, Path), String> {
        let (scheme, path) = ObjectStoreScheme::parse(url).map_err(|error| error.to_string())?;
        let service = match scheme {
            ObjectStoreScheme::Local => Self::Local,
            ObjectStoreScheme::AmazonS3 => Self::S3,
            ObjectStoreScheme::GoogleCloudStorage => Self::Google,
            ObjectStoreScheme::MicrosoftAzure => Self::Azure,
            _ => return Err("use file://, s3://, gs:// or az://".to_owned()),
        };
        Ok((service, path))
    }

    /// Opens the store; an error says what is wrong with the URL or the settings.
    pub fn open(self, url: &Url) -> Result<Arc<dyn ObjectStore>, String> {
        if self == Self::Local {
            return Ok(Arc::new(LocalFileSystem::new()));
        }

        let retry = RetryConfig {
            max_retries: 3,
            retry_timeout: Duration::from_secs(60),
            ..RetryConfig::default()
        };
        let opened: Result<Arc<dyn ObjectStore>, Error> = match self {
            Self::Local | Self::S3 => AmazonS3Builder::from_env()
                .with_url(url.as_str())
                .with_retry(retry)
                .with_http_connector(Connector)
                .build()
                .map(|store| Arc::new(store) as _),
            Self::Google => GoogleCloudStorageBuilder::from_env()
                .with_url(url.as_str())
                .with_retry(retry)
                .with_http_connector(Connector)
                .build()
                .map(|store| Arc::new(store) as _),
            Self::Azure => MicrosoftAzureBuilder::from_env()
                .with_url(url.as_str())
                .with_retry(retry)
                .with_http_connector(Connector)
                .build()
                .map(|store| Arc::new(store) as _),
        };
        opened.map_err(|error| format!("{}; set {}", reason_of(&error), self.credentials()))
    }

    /// Returns the error about a failed operation: what it means, and what to do.
    pub fn failed(self, url: &str, error: &Error) -> ShareError {
        let reason = reason_of(error);
        let is_absent = ["NoSuchBucket", "ContainerNotFound", "404 Not Found"]
            .iter()
            .any(|word| reason.contains(word));
        let is_denied = ["403 Forbidden", "401 Unauthorized"]
            .iter()
            .any(|word| reason.contains(word));

        let (what, next) = match error {
            _ if self == Self::Local => ("the folder cannot be used", "check the URL".to_owned()),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => self.denied(),
            _ if is_denied => self.denied(),
            Error::NotFound { .. } => absent(),
            _ if is_absent => absent(),
            _ if !self.has_credentials() => (
                "there are no credentials",
                format!("set {}", self.credentials()),
            ),
            _ => (
                "the store cannot be reached",
                "check the URL, the network and the settings of the endpoint".to_owned(),
            ),
        };
        ShareError::Store {
            url: url.to_owned(),
            what,
            reason,
            next,
        }
    }

    fn denied(self) -> (&'static str, String) {
        let next = format!(
            "check {}, and that they may read and write there",
            self.credentials()
        );
        ("access was denied", next)
    }

    /// Returns the names of the usual variables with credentials.
    fn credentials(self) -> &'static str {
        match self {
            Self::Local => "no variable",
            Self::S3 => "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            Self::Google => "GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS",
            Self::Azure => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        }
    }

    /// Reports whether a variable names credentials, or says that none are needed. Machines in a
    /// cloud may get theirs without one.
    fn has_credentials(self) -> bool {
        let (prefix, words): (_, &[&str]) = match self {
            Self::Local => return true,
            Self::S3 => ("AWS_", &["KEY", "TOKEN", "CREDENTIALS", "SKIP_SIGNATURE"]),
            Self::Google => ("GOOGLE_", &["ACCOUNT", "CREDENTIALS", "SKIP_SIGNATURE"]),
            Self::Azure => (
                "AZURE_",
                &["KEY", "TOKEN", "SECRET", "EMULATOR", "SKIP_SIGNATURE"],
            ),
        };
        std::env::vars_os().any(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with(prefix) && words.iter().any(|word| name.contains(word))
        })
    }
}

fn absent() -> (&'static str, String) {
    (
        "there is no such bucket or container",
        "create it, or correct the URL".to_owned(),
    )
}

/// Returns the texts of an error and its causes in one line, of bounded length.
fn reason_of(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let inner = error.to_string();
        if !text.contains(&inner) {
            text = format!("{text}: {inner}");
        }
        cause = error.source();
    }

    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > LONGEST_REASON {
        line.truncate(line.floor_char_boundary(LONGEST_REASON));
        line.push_str("..");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_service_and_a_path() {
        for (url, service, path) in [
            ("file:///srv/snapshots", Service::Local, "srv/snapshots"),
            ("s3://bucket/a/b", Service::S3, "a/b"),
            ("gs://bucket", Service::Google, ""),
            ("az://container/a", Service::Azure, "a"),
        ] {
            let parsed = Service::of(&Url::parse(url).unwrap());
            assert_eq!(parsed, Ok((service, Path::from(path))), "{url}");
        }
        for url in ["https://example.com/a", "memory:///", "ftp://a/b"] {
            assert!(Service::of(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
    }

    #[test]
    fn failures_say_what_happened_and_what_to_do() {
        let failed = |error: Error| Service::S3.failed("s3://b", &error).to_string();
        let cause = || "the server said so".into();

        let denied = failed(Error::PermissionDenied {
            path: "a".to_owned(),
            source: cause(),
        });
        assert!(denied.contains("access was denied") && denied.contains("AWS_"));

        let absent = failed(Error::NotFound {
            path: "a".to_owned(),
            source: cause(),
        });
        assert!(absent.contains("no such bucket"), "{absent}");

        let listed = failed(Error::Generic {
            store: "S3",
            source: "<Code>NoSuchBucket</Code>".into(),
        });
        assert!(listed.contains("no such bucket"), "{listed}");
    }
}
