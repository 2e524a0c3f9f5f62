#!/usr/bin/env python3
"""secret-fields.py FOLDER: writes a Swift table of where the protos below FOLDER have fields marked as secret.

For each message it lists the paths of field numbers that lead to a secret: through messages in it, and into the values
of maps. Reads the protos as text, and fails on what it does not understand rather than leave a secret out.
"""
import pathlib
import re
import sys

FIELD = re.compile(
    r"(?:repeated\s+|optional\s+)?(?:map<\s*\w+\s*,\s*([\w.]+)\s*>|([\w.]+))\s+\w+\s*=\s*(\d+)\s*(?:\[([^\]]*)\])?$"
)
OPTION = re.compile(r"\(\s*docent\.options\.v1\.secret\s*\)\s*=\s*true")


def read(text, messages):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    package = re.search(r"\bpackage\s+([\w.]+)\s*;", text).group(1)
    stack = []
    for part in re.findall(r"[^{};]+[{;]|}", text):
        part = " ".join(part.split())
        if part == "}":
            stack.pop()
        elif part.endswith("{"):
            kind, name = part[:-1].split()[:2]
            stack.append((kind, name))
            if kind == "message":
                messages[full(package, stack)] = (package, [])
        elif stack and stack[-1][0] in ("message", "oneof"):
            statement = part[:-1].strip()
            if not statement or re.match(r"(reserved|option|extensions)\b", statement):
                continue
            match = FIELD.match(statement)
            if not match:
                sys.exit(f"secret-fields.py does not understand “{statement}”.")
            value, plain, number, options = match.groups()
            entry = (int(number), value or plain, value is not None, bool(OPTION.search(options or "")))
            messages[full(package, stack)][1].append(entry)


def full(package, stack):
    return ".".join([package] + [name for kind, name in stack if kind == "message"])


def resolve(name, package, inside, messages):
    scopes = inside.split(".")
    for end in range(len(scopes), -1, -1):
        candidate = ".".join(scopes[:end] + [name])
        if candidate in messages:
            return candidate
    return None


def paths(message, messages, seen=()):
    if message in seen:
        sys.exit(f"secret-fields.py does not understand messages in themselves: {message}.")
    package, fields = messages[message]
    found = []
    for number, type_name, is_map, is_secret in fields:
        prefix = [number, 2] if is_map else [number]
        if is_secret:
            found.append(prefix)
            continue
        below = resolve(type_name, package, message, messages)
        if below:
            found += [prefix + rest for rest in paths(below, messages, seen + (message,))]
    return found


messages = {}
for proto in sorted(pathlib.Path(sys.argv[1]).rglob("*.proto")):
    read(proto.read_text(encoding="utf-8"), messages)
print("// DO NOT EDIT. Made by scripts/generate-protos.")
print("// swift-format-ignore-file")
print()
print("/// Where messages hold what the protos mark as secret: for each message, paths of field numbers.")
print("enum SecretFields {")
print("    static let paths: [String: [[UInt64]]] = [")
for message in sorted(messages):
    found = paths(message, messages)
    if found:
        print(f'        "{message}": {found},')
print("    ]")
print("}")
