#!/usr/bin/env python3
"""kit-skips.py NAME REPORT: whether a provider of ours skips more checks than Tests/Conformance/expected/skips.toml says it may.

REPORT is the kit's, as JSON. Who claims a capability no longer, or loses what its data set has, skips what was checked
before, and the kit itself finds nothing wrong with that.
"""

import collections
import json
import pathlib
import sys
import tomllib


def main() -> int:
    name, report = sys.argv[1], pathlib.Path(sys.argv[2])
    table = pathlib.Path(__file__).parents[2] / "Tests/Conformance/expected/skips.toml"
    allowed = tomllib.loads(table.read_text()).get(name)
    if allowed is None:
        print(f"{name} is not in {table}: say which checks it may skip, a family each.", file=sys.stderr)
        return 1
    if not report.exists():
        print(f"The kit has written no report on {name}.", file=sys.stderr)
        return 1
    results = json.loads(report.read_text())["report"]["results"]
    skipped = collections.Counter(
        result["check"]["id"].rsplit("-", 1)[0] for result in results if result["outcome"]["state"] == "skipped"
    )
    more = {family: count for family, count in skipped.items() if count > allowed.get(family, 0)}
    for family, count in sorted(more.items()):
        print(f"{name} skips {count} checks of {family}; {allowed.get(family, 0)} are expected.", file=sys.stderr)
    return 1 if more else 0


sys.exit(main())
