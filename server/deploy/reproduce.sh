#!/bin/sh
# Builds the service of the last commit twice, in two folders, and compares the programs byte by byte:
# `server/deploy/reproduce.sh`, from the root of the repository. It succeeds when they are the same, and prints their hash.
#
# With a hash as its argument, it builds once and compares with that: the hash of a program that somebody else built from
# this commit with the same compilers. It takes some minutes a build, and a few GB in the folder of temporary files.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# build FOLDER: prints the hash of the service that is built there.
build() {
    mkdir -p "$place/$1"
    git archive HEAD | tar -x -C "$place/$1"
    (cd "$place/$1" && CARGO_TARGET_DIR=target server/deploy/build.sh --package bareme-server >&2)
    sha256sum "$place/$1/target/dist/bareme-server" | cut -d ' ' -f 1
    rm -rf "${place:?}/$1"
}

rustc --version
first=$(build one)
echo "$first"
second=${1:-$(build two/in-another-folder)}
echo "$second"
[ "$first" = "$second" ] || { echo "the programs differ" >&2 && exit 1; }
