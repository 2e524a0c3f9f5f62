#!/usr/bin/env python3
"""Commits rows to an SQLite database in a mounted domain, and kills the host, or the process that serves the mount, in the
middle of it; then looks whether each row is there whose commit was reported, and whether the database is whole.

usage: kill-while-committing.py FOLDER MACHINE-FOLDER ROUNDS"""
import os, random, signal, sqlite3, subprocess, sys, time


def commit(path, first, limit):
    """Inserts rows, one a transaction, and prints each that is committed, until something fails or the time is over."""
    end = time.monotonic() + limit
    number = first
    database = sqlite3.connect(path, timeout=20)
    while time.monotonic() < end:
        database.execute("insert into t values (?, ?)", (number, f"row {number} " + "x" * random.randrange(3000)))
        database.commit()
        print(number, flush=True)
        number += 1


def look(path):
    """Prints all rows' numbers, and what the integrity check says."""
    database = sqlite3.connect(path, timeout=20)
    for row in database.execute("select a from t"):
        print(row[0])
    print(database.execute("pragma integrity_check").fetchone()[0])


def processes(machine, program):
    """Those that were started from this machine's folder."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0] == os.fsencode(os.path.join(machine, "bin", program)):
            found.append(int(name))
    return found


def ask(*words):
    """Whoever uses the database is a process of its own: SQLite takes what is mounted anew for the file that it knows."""
    return subprocess.Popen(
        [sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check(path, reported, what):
    for attempt in range(20):
        looking = ask("look", path)
        output, errors = looking.communicate(timeout=120)
        if looking.returncode == 0:
            break
        if "malformed" in errors or attempt == 19:
            sys.exit(f"{what}: {errors.strip().splitlines()[-1]}")
        time.sleep(0.5)
    *rows, whole = output.split("\n")[:-1]
    found = set(map(int, rows))
    missing = [number for number in reported if number not in found]
    if missing or whole != "ok":
        sys.exit(f"{what}: missing rows {missing[:10]} of {len(reported)}; integrity check: {whole}")
    return max(found, default=0)


def main(folder, machine, rounds):
    path = os.path.join(folder, "rows.sqlite")
    os.makedirs(folder, exist_ok=True)
    random.seed(1)
    database = sqlite3.connect(path)
    database.execute("create table t (a integer primary key, b)")
    database.commit()
    database.close()
    reported, last = [], 0
    for round in range(rounds):
        victim = ["docentd", "docent"][round % 2]
        writer = ask("commit", path, last + 1, 3)
        time.sleep(random.uniform(0.2, 2.5))
        victims = processes(machine, victim)
        if not victims:
            sys.exit(f"round {round}: there is no {victim} to be killed")
        for process in victims:
            os.kill(process, signal.SIGKILL)
        if victim == "docent":
            docent = os.path.join(machine, "bin", "docent")
            subprocess.run([docent, "mount"], check=True, stdout=subprocess.DEVNULL)
        reported += map(int, writer.communicate(timeout=120)[0].split())
        last = check(path, reported, f"round {round}, {victim} killed")
    if not reported:
        sys.exit("no row was committed")
    print(f"sqlite3: {rounds} kills, {len(reported)} rows committed, none lost")


if sys.argv[1] == "commit":
    commit(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
elif sys.argv[1] == "look":
    look(sys.argv[2])
else:
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
