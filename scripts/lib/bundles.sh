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
bundle MemoryProvider Examples/MemoryProvider
bundle GreetingProvider Examples/GreetingProvider
if [ -f Examples/PythonProvider/provider.toml ]; then
    rm -rf "$folder/providers/PythonProvider"
    mkdir -p "$folder/providers"
    cp -r Examples/PythonProvider "$folder/providers/PythonProvider"
fi
