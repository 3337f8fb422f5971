//! The secret token of HTTP clients: from the environment, or generated and kept in a file that
//! only its owner can read.
//!
//! It is not printed by accident: it has no `Display`, and its `Debug` omits it.
//!
//! Limitations: the time of a comparison reveals the token's length, which is not secret.

use std::fmt;
use std::path::PathBuf;

use codeagent_workspace::{DataDir, DataDirError};
use subtle::ConstantTimeEq;

/// Environment variable with a token of the user's choice.
pub const VARIABLE: &str = "CODEAGENT_HTTP_TOKEN";
/// File with the generated token, in the repository's data folder.
const FILE: &str = "http-token";
/// Minimum number of characters.
const SHORTEST: usize = 16;
/// Number of random bytes in a generated token.
const RANDOM: usize = 32;

/// A secret token.
pub struct Token(String);

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The given text is not suitable.
    #[error("the token in {VARIABLE} is invalid; use at least {SHORTEST} visible ASCII characters")]
    Unfit,
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] DataDirError),
    /// The system has no random numbers.
    #[error("cannot create a token: {0}")]
    Random(getrandom::Error),
}

/// Reports whether only its owner can read the file of a repository's generated token, with its
/// path; `None` if there is no such file.
#[must_use]
pub fn token_rights(data: &DataDir) -> Option<(bool, PathBuf)> {
    data.is_secret(FILE)
}

impl Token {
    /// Checks a token of the user's choice.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let is_fit = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_fit {
            Ok(Self(text.to_owned()))
        } else {
            Err(TokenError::Unfit)
        }
    }

    /// Returns the token in the environment, if set.
    pub fn of_environment() -> Result<Option<Self>, TokenError> {
        let Some(given) = std::env::var_os(VARIABLE).filter(|given| !given.is_empty()) else {
            return Ok(None);
        };
        given
            .to_str()
            .ok_or(TokenError::Unfit)
            .and_then(Self::new)
            .map(Some)
    }

    /// Generates a token.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; RANDOM];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Returns the token in the repository's data folder, generating it if needed, and its path.
    pub fn load_or_create(data: &DataDir) -> Result<(Self, PathBuf), TokenError> {
        let (text, path) = data.secret(FILE, &Self::random()?.0)?;
        Ok((Self::new(text.trim_end())?, path))
    }

    /// Returns the token's text, for an address that only the user is shown.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Compares in constant time for a given length.
    #[must_use]
    pub fn is(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use codeagent_workspace::DataRoot;

    use super::*;

    #[test]
    fn a_token_is_created_once_and_reused() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let (first, path) = Token::load_or_create(&data).unwrap();
        let (second, _) = Token::load_or_create(&data).unwrap();
        assert!(first.0 == second.0 && first.0.len() == 2 * RANDOM && path.ends_with(FILE));
        assert!(
            first.is(second.0.as_bytes()) && !first.is(b"") && !first.is(&second.0.as_bytes()[1..])
        );
        let other =
            Token::load_or_create(&DataRoot::at(home.path()).data_dir(home.path()).unwrap())
                .unwrap()
                .0;
        assert_ne!(first.0, other.0);
        assert_eq!(format!("{first:?}"), "Token");
    }

    #[test]
    fn short_or_invisible_tokens_are_refused() {
        assert!(Token::new(&"x".repeat(SHORTEST)).is_ok());
        for unfit in [
            "",
            "short",
            "fifteen letters",
            &"x y".repeat(9),
            &"\u{e9}".repeat(20),
            &"x\n".repeat(20),
        ] {
            assert!(Token::new(unfit).is_err(), "{unfit:?}");
        }
    }
}
