#!/usr/bin/env bash
# conformance.sh FOLDER [SERVER]: runs the conformance kit on each of our own provider bundles, side by side. Each must keep
# every MUST and SHOULD of what it claims, and skip no more than Tests/Conformance/expected/skips.toml says. FOLDER is where
# the executables and, in providers/, the bundles are. SERVER is what WebDAVProvider is tried with: lighttpd, apache, nginx,
# rclone or wsgidav; with one given, only WebDAVProvider is checked, whatever it skips there.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?say where the executables are}

server=${2:-lighttpd}
only=${2:+WebDAVProvider}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Where the server of WebDAVProvider is: a port that nobody uses, and that no connection is given by itself.
port=$(python3 -c '
import random, socket
while True:
    port = random.randrange(10000, 32000)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break')
declare -A jobs
for config in Tests/Conformance/*.toml; do
    name=$(basename "$config" .toml)
    [ "$name" = "${only:-$name}" ] || continue
    sed "s|@PORT@|$port|g; s|@SERVER@|$server|g; s|{config}|$PWD/Tests/Conformance|g" "$config" >"$out/$name.toml"
    "$folder/provider-conformance" run --bundle "$folder/providers/$name" --config "$out/$name.toml" --mutating --strict \
        --quiet --report json="$out/$name.json" >"$out/$name" 2>&1 &
    jobs[$name]=$!
done

failed=0
for name in "${!jobs[@]}"; do
    wait "${jobs[$name]}" || failed=1
    printf -- '-- %s\n' "$name"
    cat "$out/$name"
    [ -n "$only" ] || scripts/lib/kit-skips.py "$name" "$out/$name.json" || failed=1
done
[ -n "$only" ] || [ ${#jobs[@]} -ge 6 ] || {
    echo "Only ${#jobs[@]} providers were checked; there are six of them in Tests/Conformance." >&2
    failed=1
}
exit "$failed"
