//! Files that the `local` profile hides: keys, credentials, environment settings, shell histories.
//!
//! Limitations: files are recognized by name. A secret in a source file is shown.

use codeagent_workspace::RepoPath;

/// Names of hidden files and folders.
const NAMES: &[&str] = &[
    ".git",
    ".env",
    ".envrc",
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".gcloud",
    ".kube",
    ".docker",
    ".npmrc",
    ".yarnrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".terraformrc",
    "credentials.json",
    "service-account.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "authorized_keys",
    "known_hosts",
    ".bash_history",
    ".zsh_history",
    ".node_repl_history",
    ".python_history",
    ".mysql_history",
    ".psql_history",
    "master.key",
    "shadow",
    ".password-store",
    "keychain",
    ".keychain",
    ".1password",
    ".bitwarden",
];

/// Prefixes of hidden names.
const BEGINNINGS: &[&str] = &[".env.", "id_rsa.", "id_ed25519.", "terraform.tfstate"];

/// Prefixed names that contain no secrets.
const HARMLESS: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    "id_rsa.pub",
    "id_ed25519.pub",
];

/// Suffixes of hidden names.
const ENDS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".asc",
    ".gpg",
    ".ppk",
    ".ovpn",
    ".crt.key",
    ".mobileprovision",
    ".env",
];

/// Reports whether a path is a hidden file or inside a hidden folder.
#[must_use]
pub fn is_secret(path: &RepoPath) -> bool {
    path.segments().any(is_secret_name)
}

/// Reports whether a file or folder with this name is hidden.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.as_bytes();
    let is = |known: &&str| name.eq_ignore_ascii_case(known.as_bytes());
    let begins = |known: &&str| {
        name.get(..known.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(known.as_bytes()))
    };
    let ends = |known: &&str| {
        name.len()
            .checked_sub(known.len())
            .is_some_and(|at| name[at..].eq_ignore_ascii_case(known.as_bytes()))
    };
    (ENDS.iter().any(ends) || NAMES.iter().any(is) || BEGINNINGS.iter().any(begins))
        && !HARMLESS.iter().any(is)
}
