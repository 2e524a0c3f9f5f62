#!/usr/bin/env python3
"""Where the programs are that were built last: by scripts/test, or by scripts/build."""
import os
import sys


def folder():
    """The folder that DOCENT_BUILD names; else the one with the newest daemon. Ends the program where there is none."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    named = os.environ.get("DOCENT_BUILD")
    places = [named] if named else [os.path.join(here, ".build", kind) for kind in ("debug", "release")]
    built = [place for place in places if os.access(os.path.join(place, "docentd"), os.X_OK)]
    if not built:
        sys.exit(f"No docentd in {', '.join(places)}: run scripts/build first.")
    return max(built, key=lambda place: os.stat(os.path.join(place, "docentd")).st_mtime)
