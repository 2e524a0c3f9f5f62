#!/usr/bin/env bash
# wsgidav.sh: installs WsgiDAV, one of the servers that WebDAVProvider is tried with, in .build/wsgidav. Debian does not
# have it.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=.build/wsgidav
pins=(wsgidav==4.3.3 cheroot==11.1.2)
[ "$(cat "$target/.pins" 2>/dev/null)" = "${pins[*]}" ] && exit 0
python=python3
"$python" -m pip --version >/dev/null 2>&1 || python=/usr/bin/python3
rm -rf "$target"
"$python" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target "$target" "${pins[@]}"
printf '%s' "${pins[*]}" >"$target/.pins"
