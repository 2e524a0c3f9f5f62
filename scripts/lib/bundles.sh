#!/usr/bin/env bash
# bundles.sh FOLDER: lays the provider bundles out in FOLDER/providers, each with its manifest and its executable.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?say where the executables are}

bundle() { # NAME SOURCE
    local target="$folder/providers/$1"
    mkdir -p "$target"
    ln -f "$folder/$1" "$target/$1" 2>/dev/null || cp -f "$folder/$1" "$target/$1"
    cp -f "$2/provider.toml" "$target/provider.toml"
}

bundle FolderProvider Plugins/FolderProvider
bundle WebDAVProvider Plugins/WebDAVProvider
bundle MemoryProvider Examples/MemoryProvider
bundle GreetingProvider Examples/GreetingProvider
# What “docent provider new” begins with.
scripts/lib/templates.sh "$folder" "$PWD"
# The Python ones need their messages, which protoc makes; without protoc they say so when they are started.
for python in memory-provider-python greeting-provider-python; do
    rm -rf "$folder/providers/$python"
    cp -r "Examples/$python" "$folder/providers/$python"
    # What speaks the protocol is the same in both.
    cp Examples/memory-provider-python/docent_provider.py Examples/memory-provider-python/generate \
        "$folder/providers/$python/"
    if command -v protoc >/dev/null 2>&1; then
        "$folder/providers/$python/generate" "$PWD/Sources/DocumentWire/Protos"
    fi
done
