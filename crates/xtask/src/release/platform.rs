//! The platforms that a release has binaries for, and their names in each channel.

use anyhow::Context as _;

#[derive(Debug)]
pub struct Platform {
    /// npm's name: operating system and processor.
    pub name: &'static str,
    /// Tag of a wheel. The binaries for Linux are static, so they run on glibc and on musl.
    pub wheel: &'static str,
}

pub const PLATFORMS: &[Platform] = &[
    Platform {
        name: "darwin-arm64",
        wheel: "macosx_11_0_arm64",
    },
    Platform {
        name: "darwin-x64",
        wheel: "macosx_10_12_x86_64",
    },
    Platform {
        name: "linux-arm64",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    },
    Platform {
        name: "linux-x64",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    },
    Platform {
        name: "win32-x64",
        wheel: "win_amd64",
    },
];

impl Platform {
    pub fn of_name(name: &str) -> anyhow::Result<&'static Self> {
        let found = PLATFORMS.iter().find(|platform| platform.name == name);
        found.with_context(|| {
            let names: Vec<_> = PLATFORMS.iter().map(|platform| platform.name).collect();
            format!("no platform `{name}`; there are {}", names.join(", "))
        })
    }

    pub fn of_this_machine() -> anyhow::Result<&'static Self> {
        let system = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let processor = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        Self::of_name(&format!("{system}-{processor}"))
    }

    /// Returns the operating system.
    pub fn system(&self) -> &'static str {
        self.name
            .split_once('-')
            .map_or(self.name, |(system, _)| system)
    }

    /// Returns the processor.
    pub fn processor(&self) -> &'static str {
        self.name
            .split_once('-')
            .map_or("", |(_, processor)| processor)
    }

    pub fn is_windows(&self) -> bool {
        self.system() == "win32"
    }

    /// Returns the file name of the binary.
    pub fn program(&self) -> &'static str {
        if self.is_windows() {
            "codeagent.exe"
        } else {
            "codeagent"
        }
    }

    /// Returns the file name of the plain archive.
    pub fn archive(&self, version: &str) -> String {
        let ending = if self.is_windows() { "zip" } else { "tar.gz" };
        format!("codeagent-{version}-{}.{ending}", self.name)
    }
}
