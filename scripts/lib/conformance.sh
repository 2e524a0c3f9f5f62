#!/usr/bin/env bash
# conformance.sh FOLDER [SERVER …]: runs the conformance kit on each of our own provider bundles, side by side.
# Each must keep every MUST and SHOULD of what it claims, and skip no more than Tests/Conformance/expected/skips.toml says.
# FOLDER is where the executables and, in providers/, the bundles are. SERVER is what WebDAVProvider is tried with: lighttpd,
# apache, nginx, rclone or wsgidav; with some given, only WebDAVProvider is checked, with each of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?say where the executables are}
shift
servers=("$@")

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Where a server of WebDAVProvider is: a port that nobody uses, and that no connection is given by itself.
free_port() {
    python3 -c '
import random, socket
while True:
    port = random.randrange(10000, 32000)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break'
}
declare -A jobs
# check NAME TITLE SERVER
check() {
    # Of two that move a folder at the same time, WsgiDAV now and then lets both believe that they did.
    local alone=false
    [ "$3" != wsgidav ] || alone=true
    sed "s|@ALONE@|$alone|g; s|@PORT@|$(free_port)|g; s|@SERVER@|$3|g; s|{config}|$PWD/Tests/Conformance|g" "Tests/Conformance/$1.toml" \
        >"$out/$2.toml"
    "$folder/provider-conformance" run --bundle "$folder/providers/$1" --config "$out/$2.toml" --mutating --strict \
        --patience 4 --quiet --report json="$out/$2.json" >"$out/$2" 2>&1 &
    jobs[$2]=$!
}
for server in "${servers[@]}"; do check WebDAVProvider "WebDAVProvider with $server" "$server"; done
if [ ${#servers[@]} -eq 0 ]; then
    for config in Tests/Conformance/*.toml; do
        name=$(basename "$config" .toml)
        check "$name" "$name" lighttpd
    done
fi

failed=0
for name in "${!jobs[@]}"; do
    wait "${jobs[$name]}" || failed=1
    printf -- '-- %s\n' "$name"
    cat "$out/$name"
    scripts/lib/kit-skips.py "${name%% with *}" "$out/$name.json" || failed=1
done
[ ${#servers[@]} -gt 0 ] || [ ${#jobs[@]} -ge 6 ] || {
    echo "Only ${#jobs[@]} providers were checked; there are six of them in Tests/Conformance." >&2
    failed=1
}
exit "$failed"
