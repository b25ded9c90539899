#!/bin/sh
# Builds released programs: `server/deploy/build.sh --package bareme-server`, from the root of the repository. They are
# in target/dist: the profile `dist` optimises the program as a whole.
#
# No path of the machine that builds is left in them: messages of panics and logs name files as the sources do.
set -eu
cargo_home=${CARGO_HOME:-$HOME/.cargo}
flags="--remap-path-prefix=$(pwd -P)=. --remap-path-prefix=$cargo_home=cargo"
flags="$flags --remap-path-prefix=$(rustc --print sysroot)=rust"
RUSTFLAGS="${RUSTFLAGS:-} $flags" CFLAGS="${CFLAGS:-} -ffile-prefix-map=$cargo_home=cargo" \
    cargo build --profile dist --locked "$@"
