#!/usr/bin/env bash
# templates.sh FOLDER DOCENT: lays out in FOLDER/templates what “docent provider new” copies: the example providers, with
# what a project of one's own needs around them. DOCENT is where such a project gets Docent's package from: the path of
# a checkout or the URL of a repository.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:?say where to}/templates
docent=${2:?say where the package comes from}

rm -rf "$folder"
mkdir -p "$folder/swift/Sources/MemoryProvider" "$folder/python/protos"
cp -R Templates/swift/. "$folder/swift/"
cp Examples/MemoryProvider/*.swift "$folder/swift/Sources/MemoryProvider/"
cp Examples/MemoryProvider/provider.toml "$folder/swift/"
cp -R Templates/python/. "$folder/python/"
mkdir -p "$folder/python/bundle"
# What was made there is made anew in each project.
find Examples/memory-provider-python -maxdepth 1 -type f -exec cp -t "$folder/python/bundle/" {} +
for part in options model wire provider; do
    mkdir -p "$folder/python/protos/docent"
    cp -R "Sources/DocumentWire/Protos/docent/$part" "$folder/python/protos/docent/"
done
for language in swift python; do
    mv "$folder/$language/gitignore" "$folder/$language/.gitignore"
    # What is in the template, and how open it is: docent copies what is listed.
    (cd "$folder/$language" && find . -type f -printf '%m %P\n' | LC_ALL=C sort -k 2) >"$folder/$language.contents"
done
printf '%s\n' "$docent" >"$folder/docent-package"
