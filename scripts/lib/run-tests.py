#!/usr/bin/env python3
"""Runs tests of the built bundle, and remembers which failed, so that those alone can be tried again on a quiet machine.

usage: run-tests.py BUNDLE FAILED [--in-parallel] [--filter THESE] [--skip THOSE]
       run-tests.py BUNDLE FAILED --again

FAILED is a file: each test that failed is a line of it (its name, a tab, what it said). The exit status is 0 when all passed,
or when those that did not are written there; 1 when something else went wrong (nothing ran, the bundle crashed, or more
failed than a slow machine explains). With --again those of the file run, one at a time, and those that fail still do once
more; it is 0 when each has passed.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

# More than these are no accident.
MOST = 12


def events(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                return  # The bundle died while it wrote.


def failures(path):
    """What each failed test said, by its name; and whether the run came to its end."""
    said, is_whole = {}, False
    for event in events(path):
        payload = event.get("payload", {})
        kind = payload.get("kind")
        if kind == "runEnded":
            is_whole = True
        if kind != "issueRecorded":
            continue
        issue = payload.get("issue", {})
        if issue.get("isKnown") or issue.get("severity") == "warning":
            continue
        # “Module.Suite/function()/File.swift:1:2”: the place is no part of what a filter sees everywhere.
        name = re.sub(r"/[^/]+\.swift:\d+:\d+$", "", payload.get("testID") or "")
        texts = [message.get("text", "") for message in payload.get("messages", [])]
        said.setdefault(name, " ".join(" ".join(texts).split())[:600])
    return said, is_whole


def run(bundle, arguments):
    with tempfile.TemporaryDirectory() as folder:
        stream = os.path.join(folder, "events")
        status = subprocess.run(
            [bundle, "--testing-library", "swift-testing", *arguments,
             "--event-stream-output-path", stream, "--event-stream-version", "0"],
            check=False).returncode
        said, is_whole = failures(stream) if os.path.exists(stream) else ({}, False)
    return status, said, is_whole


def alone(names):
    return [word for name in names for word in ("--filter", f"^{re.escape(name)}(/|$)")] + ["--no-parallel"]


def main():
    bundle, failed, *arguments = sys.argv[1:]
    again = arguments == ["--again"]
    if again:
        with open(failed, encoding="utf-8") as lines:
            names = [line.split("\t")[0] for line in lines]
        if not names:
            return 0  # No filter would be every test.
        status, said, is_whole = run(bundle, alone(names))
        if status == 0:
            return 0
        if is_whole and said and "" not in said:
            print("\nTo be tried a last time: " + ", ".join(said))
            arguments = alone(said)
        else:
            arguments = alone(names)
    elif "--in-parallel" in arguments:
        arguments.remove("--in-parallel")
    else:
        arguments.append("--no-parallel")
    status, said, is_whole = run(bundle, arguments)
    if status == 0:
        return 0
    if again or not is_whole or not said or "" in said or len(said) > MOST:
        print(f"\nThe tests ended with status {status}" + ("." if is_whole else ", before their end."))
        for name, words in said.items():
            print(f"✘ {name}: {words}")
        return 1
    with open(failed, "a", encoding="utf-8") as lines:
        for name, words in said.items():
            print(name, words, sep="\t", file=lines)
            print(f"To be tried again at the end: {name}")
    return 0


sys.exit(main())
