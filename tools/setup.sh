#!/bin/sh
# Prepare a machine for `make demo` and `make test`: install uv and the locked environment. With root or sudo, also
# install packages of the distribution: bubblewrap, Chromium, the compilers and runtimes for bots in other languages, and reverse proxies.
# If a package cannot be installed, name it and continue without it.
# The environment gets the fastest Python that is found; `make setup PYTHON=/path/to/python3` chooses another.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }

python=$(command -v python3 || command -v python || true)
if [ -z "$python" ] || ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "Python 3.11 or newer is needed and was not found."
    exit 1
fi

if [ -x .bootstrap/bin/uv ]; then
    uv=.bootstrap/bin/uv
elif command -v uv >/dev/null 2>&1 && uv --version >/dev/null 2>&1; then
    uv=uv
else
    say "installing uv into .bootstrap"
    "$python" -m venv .bootstrap
    .bootstrap/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r tools/uv.txt
    uv=.bootstrap/bin/uv
fi

# Use the distribution's package manager as root, or through sudo if sudo asks for no password.
become=""
[ "$(id -u)" = 0 ] || become="sudo -n"
may_install() { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }; }
install_package() {
    if command -v apt-get >/dev/null 2>&1; then
        $become env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$1" >/dev/null 2>&1 || {
            $become apt-get update -q >/dev/null 2>&1 &&
                $become env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$1" >/dev/null 2>&1
        }
    elif command -v dnf >/dev/null 2>&1; then
        $become dnf install -y -q "$1" >/dev/null 2>&1
    elif command -v pacman >/dev/null 2>&1; then
        $become pacman -S --noconfirm --needed "$1" >/dev/null 2>&1
    else
        return 1
    fi
}
want() { # arguments: program, package, what does not work without it
    command -v "$1" >/dev/null 2>&1 && return 0
    if [ "$(uname)" = Linux ] && may_install; then
        say "installing $2"
        install_package "$2" && command -v "$1" >/dev/null 2>&1 && return 0
    fi
    say "$2 is not installed and cannot be installed from here: $3"
}
want bwrap bubblewrap "bots will run without a sandbox, and its tests are skipped."
command -v google-chrome >/dev/null 2>&1 || want chromium chromium "the viewer's tests are skipped, and no pictures of replays can be made."
for pair in "g++ g++" "javac default-jdk-headless" "node nodejs"; do
    want $pair "tests of bots in that language are skipped."
done

want openssl openssl "tests of a contest behind reverse proxies are skipped."
# Where systemd runs, the packages would start servers on port 80 of this machine.
[ -d /run/systemd/system ] || for proxy in nginx caddy; do
    want $proxy $proxy "tests of a contest behind this reverse proxy are skipped."
done
# Distributions without this package lose nothing: the viewer's tests take Chromium then, and need more time.
if command -v apt-cache >/dev/null 2>&1 && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    want chromium-headless-shell chromium-headless-shell "the viewer's tests use Chromium."
fi

if [ -n "${PYTHON:-}" ]; then
    say "using $PYTHON, as PYTHON says"
else
    PYTHON=$("$python" arena/bots/interpreters.py)
fi
# The fastest interpreter may be newer than what a package has a wheel for, or lack headers; the first one is tried then.
$uv sync --quiet --frozen --compile-bytecode --python "$PYTHON" || {
    say "$PYTHON cannot be used, using $python"
    $uv sync --quiet --frozen --compile-bytecode --python "$python"
}
# Bots start with read-only copies of these packages. Without byte code, each bot would compile the packages again.
.venv/bin/python -m compileall -q arena clients/python/arena_player replays/arena_replays games/*/arena_* extras/*/arena_* || true
printf '%s\n' "$uv" > .venv/uv-path
