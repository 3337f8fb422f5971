#!/usr/bin/env bash
# Brings the corpora that measurements run on from package registries into DIR (default target/corpora): npm rxjs 7.8.2,
# Debian newtonsoft-json and protobuf, PyPI pythonnet. Skips what is there. Needs npm, pip and apt with source packages enabled.
set -eu
dir=$(mkdir -p "${1:-target/corpora}" && cd "${1:-target/corpora}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

unpack() { # unpack ARCHIVE NAME: the archive's single top folder becomes DIR/NAME
    mkdir "$work/$2"
    tar -xf "$1" -C "$work/$2"
    mv "$work/$2"/* "$dir/$2"
}

if [ ! -d "$dir/rxjs" ]; then
    (cd "$work" && npm pack --silent rxjs@7.8.2 >/dev/null)
    unpack "$work"/rxjs-7.8.2.tgz rxjs
fi
if [ ! -d "$dir/pythonnet" ]; then
    pip download --quiet --no-deps --no-binary :all: -d "$work" pythonnet==3.2.1
    unpack "$work"/pythonnet-3.2.1.tar.gz pythonnet
fi
for package in newtonsoft-json protobuf; do
    if [ ! -d "$dir/$package" ]; then
        if (cd "$work" && apt-get source --tar-only --download-only "$package" >/dev/null 2>&1); then
            unpack "$(ls "$work/$package"_*.orig.tar.*)" "$package"
        else
            echo "$package: no source package to be had (is deb-src enabled?), left out" >&2
        fi
    fi
done
ls "$dir"
