# Sourced by the scripts. require_packages PACKAGE[:COMMAND] … installs Debian packages that are missing when the
# user is root, and names them when not. require_swift says what to do without a Swift toolchain.
require_packages() {
    local missing=() entry package command
    for entry in "$@"; do
        package=${entry%%:*}
        command=${entry#*:}
        if [ "$command" != "$entry" ]; then
            command -v "$command" >/dev/null 2>&1 || missing+=("$package")
        else
            dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
        fi
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "These Debian packages are missing: ${missing[*]}" >&2
        echo "Install them with: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "Installing ${missing[*]} …" >&2
    DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
    # Servers among them are started by the tests, not by the system: as in runlevel 1.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
}

require_swift() {
    if ! command -v swift >/dev/null 2>&1; then
        echo "There is no Swift toolchain: install Swift 6.3 or later from https://www.swift.org/install" >&2
        exit 1
    fi
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -1)
    set -- $version
    if [ "${1:-0}" -lt 6 ] || { [ "${1:-0}" -eq 6 ] && [ "${2:-0}" -lt 3 ]; }; then
        echo "Docent needs Swift 6.3 or later, and this is ${1:-an unknown version}.${2:-}: see https://www.swift.org/install" >&2
        exit 1
    fi
}
