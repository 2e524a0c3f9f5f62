# Sourced by the scripts. require_packages PACKAGE[:COMMAND] … installs Debian packages that are missing when the
# user is root, and names them when not.
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
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
}
