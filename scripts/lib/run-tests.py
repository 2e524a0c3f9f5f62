#!/usr/bin/env python3
"""Runs tests of the built bundle, and remembers which failed, so that those alone can be tried again on a quiet machine.

usage: run-tests.py BUNDLE FAILED [--share K/N WHOLE] [--in-parallel] [--filter THESE] [--skip THOSE]
       run-tests.py BUNDLE FAILED --again

With --share, one of N tests runs, by its name, so that each has its turn as K goes from 1 to N; those that WHOLE (a regular
expression) matches all run.

FAILED is a file: each test that failed is a line of it (its name, a tab, what it said). The exit status is 0 when all passed,
or when those that did not are written there; 1 when something else went wrong (nothing ran, the bundle crashed, or more
failed than a slow machine explains). With --again those of the file run, one at a time, and those that fail still do once
more; it is 0 when each has passed.

A run in which nothing begins or ends for ten minutes is ended: what was running is named, with what each thread of it and of
what it started waits for in the kernel.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import zlib

# More than these are no accident.
MOST = 12
# The longest test takes a tenth of this on two processors that have four lanes to run, in seconds.
STILL = 600


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


def running(path):
    """The tests that have begun and not ended."""
    begun = {}
    for event in events(path):
        payload = event.get("payload", {})
        kind, name = payload.get("kind"), payload.get("testID")
        if kind == "testStarted" and "/" in (name or ""):
            begun[name] = True
        elif kind in ("testEnded", "testSkipped"):
            begun.pop(name, None)
    return list(begun)


def descendants(process):
    """A process and what it started, itself and by way of others."""
    found, to_look_at = [], [process]
    while to_look_at:
        one = to_look_at.pop()
        found.append(one)
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children", encoding="ascii") as children:
                    to_look_at += [int(child) for child in children.read().split()]
        except OSError:
            pass  # It has ended meanwhile.
    return found


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return "?"


def tell_what_waits(process, stream):
    print(f"\n✘ Nothing has begun or ended for {STILL} seconds: the run is ended. What was running:")
    for name in running(stream) or ["no test"]:
        print(f"✘ {name}")
    for one in descendants(process):
        print(f"process {one}: {read(f'/proc/{one}/cmdline')[:300]}")
        try:
            tasks = sorted(os.listdir(f"/proc/{one}/task"))
        except OSError:
            continue
        for task in tasks:
            place = f"/proc/{one}/task/{task}"
            print(f"    {task} {read(f'{place}/comm')}: {read(f'{place}/wchan')}, call {read(f'{place}/syscall')[:60]}")
    sys.stdout.flush()


def as_usual():
    """What a shell has ignored for a job in the background is ignored by all that is started there, tests included."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def run(bundle, arguments):
    with tempfile.TemporaryDirectory() as folder:
        stream = os.path.join(folder, "events")
        process = subprocess.Popen(
            [bundle, "--testing-library", "swift-testing", *arguments,
             "--event-stream-output-path", stream, "--event-stream-version", "0"],
            preexec_fn=as_usual)
        size, since = 0, time.monotonic()
        while True:
            try:
                process.wait(timeout=5)
                break
            except subprocess.TimeoutExpired:
                now = os.path.getsize(stream) if os.path.exists(stream) else 0
                if now != size:
                    size, since = now, time.monotonic()
                elif time.monotonic() - since > STILL:
                    tell_what_waits(process.pid, stream)
                    for one in descendants(process.pid):
                        try:
                            os.kill(one, signal.SIGKILL)
                        except ProcessLookupError:
                            pass
                    process.wait()
        said, is_whole = failures(stream) if os.path.exists(stream) else ({}, False)
    return process.returncode, said, is_whole


def alone(names):
    return [word for name in names for word in ("--filter", f"^{re.escape(name)}(/|$)")] + ["--no-parallel"]


def share_of(bundle, share, whole, arguments):
    """The names of the tests whose turn it is, of those that the arguments choose."""
    number, count = (int(part) for part in share.split("/"))
    chosen = {"--filter": [], "--skip": []}
    for option, expression in zip(arguments[::2], arguments[1::2]):
        chosen[option].append(re.compile(expression))
    listed = subprocess.run(
        [bundle, "--testing-library", "swift-testing", "--list-tests"], check=True, stdout=subprocess.PIPE, text=True)
    names = [
        name for name in listed.stdout.splitlines()
        if all(one.search(name) for one in chosen["--filter"]) and not any(one.search(name) for one in chosen["--skip"])]
    if not names:
        sys.exit("No test is chosen.")
    return [
        name for name in names
        if zlib.crc32(name.encode()) % count == number - 1 or re.search(whole, name)]


def main():
    bundle, failed, *arguments = sys.argv[1:]
    if arguments[:1] == ["--share"]:
        share, whole, *arguments = arguments[1:]
        in_parallel = [one for one in arguments if one == "--in-parallel"]
        names = share_of(bundle, share, whole, [one for one in arguments if one != "--in-parallel"])
        if not names:
            print(f"None of them has its turn in {share}.")
            return 0
        arguments = in_parallel + alone(names)
        arguments.remove("--no-parallel")
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
