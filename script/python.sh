# Sourced by the other scripts: finds a Python, and has it make the environment in .venv.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
unset PYTHONPATH PYTHONHOME

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$(basename -- "$0"): $*"
    exit 1
}

# May this script install Debian packages? Only as root, and only where there is apt-get.
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# install PACKAGE...: with Debian's own tools, quietly; false if that does not work.
install() {
    say "Installing $* ..."
    apt_log=$(mktemp)
    if DEBIAN_FRONTEND=noninteractive apt-get -qq update >"$apt_log" 2>&1 &&
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" \
            >>"$apt_log" 2>&1 </dev/null; then
        rm -f "$apt_log"
        return 0
    fi
    tail -n 5 "$apt_log" >&2
    rm -f "$apt_log"
    return 1
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
will_do() {
    "$1" -c 'import sys; assert sys.version_info >= (3, 11); import ensurepip, venv' 2>/dev/null
}

# Set $python to a Python of at least 3.11 that can make environments.
find_python() {
    new_enough=
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        python=$(command -v "$candidate" 2>/dev/null) || continue
        will_do "$python" && return
        is_new_enough "$python" || continue
        new_enough=${new_enough:-$python}
    done
    if [ -z "$new_enough" ]; then
        found=$(python3 -V 2>/dev/null) || found='no python3'
        fail "found $found, Python 3.11 or newer is needed: install it" \
            "(Debian 12, Ubuntu 24.04 and newer: apt-get install python3 python3-venv)."
    fi
    python=$new_enough
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if may_install && install "$package" && will_do "$python"; then
        return
    fi
    fail "the module venv of $python is missing: install it" \
        "(Debian and Ubuntu: apt-get install $package)."
}

# set_up KIND: make .venv hold what requirements.txt (run) or requirements-dev.txt (dev) pins.
set_up() {
    find_python
    "$python" -I "$root/script/set_up.py" "$1"
}
