#!/bin/sh
# Fetches the repositories that the benchmarks measure to target/corpora, each at a fixed commit.
#
# usage: benches/corpora.sh [NAME..]    (default: all)
set -eu
cd "$(dirname "$0")/.."

fetch() {
    name=$1 repository=$2 commit=$3
    case " $wanted " in
    "  " | *" $name "*) ;;
    *) return ;;
    esac

    folder=target/corpora/$name
    if [ "$(git -C "$folder" rev-parse -q --verify HEAD 2>/dev/null)" = "$commit" ]; then
        return
    fi

    echo "$name"
    git init -q "$folder"
    git -C "$folder" fetch -q --depth 1 "https://github.com/$repository" "$commit"
    git -C "$folder" checkout -q --force --detach FETCH_HEAD
}

wanted="$*"
fetch ImageSharp SixLabors/ImageSharp bc01295d68460b3fb24307cc778431218220f0c3
fetch OpenRA OpenRA/OpenRA b62c883951939e74e01729b96cab7e2cd1f79b5e
fetch efcore dotnet/efcore ecd0ba4c23377e479ce94c74119c499f1339351c
fetch jellyfin jellyfin/jellyfin c3ed1407ca698b0905de99da87b67415e6a62dbd
fetch outline outline/outline d77dcdf853868c5d5fe125c895c9b71f0eff5c68
fetch typeorm typeorm/typeorm 281bfba42a5813b106bcf5ba79bc7f7251bd1e73
fetch vendure vendure-ecommerce/vendure 1633446f4ee203e5e3fbca628bee952893bffa5b
fetch vueuse vueuse/vueuse 1354e69588f601f721ce2b5e4328d7c3214a0c7e
