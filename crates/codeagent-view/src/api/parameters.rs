//! The parameters of a query, from an address.

use std::collections::BTreeMap;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

use super::ApiError;

/// Maximum number of bytes of a query.
const MAX_BYTES: usize = 8_000;

/// Parameters by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Parses `name=value&name=value`, in the encoding of HTML forms.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        if text.len() > MAX_BYTES {
            return Err(ApiError::Parameters("the query is too long".to_owned()));
        }

        let decoded = |text: &str| {
            let text = text.replace('+', " ");
            let decoded = percent_decode_str(&text).decode_utf8();
            decoded.map(std::borrow::Cow::into_owned)
        };

        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        });

        pairs
            .collect::<Result<_, std::str::Utf8Error>>()
            .map(Self)
            .map_err(|_| ApiError::Parameters("the query is not UTF-8".to_owned()))
    }

    /// Returns a parameter that may be missing.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns a parameter that may not be missing.
    pub fn text(&self, name: &str) -> Result<&str, ApiError> {
        let missing = || ApiError::Parameters(format!("the parameter {name:?} is missing"));
        self.get(name).ok_or_else(missing)
    }

    /// Returns a number, or `default` if it is missing.
    pub fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T, ApiError> {
        match self.get(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| {
                ApiError::Parameters(format!("the parameter {name:?} is not a number"))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let parsed = Parameters::parse("q=a%20b+c&name=src%2Fa%26b.ts&&empty=&alone").unwrap();
        assert_eq!(parsed.text("q").unwrap(), "a b c");
        assert_eq!(parsed.text("name").unwrap(), "src/a&b.ts");
        assert_eq!(
            (parsed.get("empty"), parsed.get("alone")),
            (Some(""), Some(""))
        );
        assert!(parsed.text("missing").is_err());
        assert_eq!(parsed.number("limit", 7).unwrap(), 7);
        assert!(parsed.number::<usize>("q", 7).is_err());
        assert!(Parameters::parse("q=%ff").is_err());
    }
}
