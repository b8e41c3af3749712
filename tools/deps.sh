#!/bin/sh
# deps.sh - installs the Debian packages that building, testing or measuring needs.
# Usage: tools/deps.sh build|test|bench|demo
# Calls apt only when something is missing; says nothing when nothing is.
set -eu

build="build-essential cmake ninja-build pkg-config libzstd-dev liblz4-dev libroaring-dev
       libxxhash-dev libpcre2-dev"

has_package() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# Programs count as present however they came (a pyenv Python, a vendor's Node): only what does
# not run is asked of apt.
programs_for_tests() {
    command -v python3 >/dev/null || echo python3
    python3 -c 'import venv, ensurepip' 2>/dev/null || echo python3-venv
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
    command -v strace >/dev/null || echo strace
}

case "${1:-build}" in
build) want=$build ;;
demo)  want="$build $(command -v python3 >/dev/null || echo python3)" ;;
test)  want="$build libcmocka-dev libjansson-dev clang libclang-rt-14-dev locales
       $(programs_for_tests)" ;;
bench) want="$build $(programs_for_tests)" ;;
*)     echo "usage: tools/deps.sh build|test|bench|demo" >&2; exit 2 ;;
esac

missing=""
for package in $want; do
    has_package "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null || {
    echo "deps: this machine has no apt-get; install by hand:$missing" >&2
    exit 1
}
sudo=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "deps: not root and no sudo; install as root:$missing" >&2
        exit 1
    }
    sudo=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
    "$@" >"$log" 2>&1 </dev/null && return 0
    tail -n 20 "$log" | sed -E 's#[a-z+]+://[^ ]*#(mirror)#g; s#([a-z0-9-]+\.)+(org|com|net)\b#(mirror)#g' >&2
    return 1
}
apt_get() {
    quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
}

echo "deps: installing$missing" >&2
set -- /var/lib/apt/lists/*_Packages*
if [ ! -e "$1" ]; then
    apt_get update || { echo "deps: apt-get update failed" >&2; exit 1; }
fi
# shellcheck disable=SC2086 # one word per package
apt_get install -y --no-install-recommends $missing && exit 0
# Lists may be older than the archive: refresh them once.
apt_get update && apt_get install -y --no-install-recommends $missing && exit 0
echo "deps: could not install:$missing" >&2
exit 1
