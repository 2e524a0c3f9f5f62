#!/usr/bin/env python3
"""Does the same random file operations in two folders, and stops at the first difference of a result, an error number, or,
every so often and at the end, of the trees.

usage: compare-folders.py FOLDER PLAIN-FOLDER SEED COUNT"""
import ctypes, errno, mmap, os, random, stat, sys, time

NAMES = ["a", "b", "c", "d.txt", "e ä", ".f.swp", "g~"]
libc = ctypes.CDLL(None, use_errno=True)


def renameat2(old, new, flags):
    if libc.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


class Side:
    """One of the folders, and what is open in it."""

    def __init__(self, root):
        self.root, self.files = root, {}

    def path(self, names):
        return os.path.join(self.root, *names)

    def open(self, slot, names, flags):
        if slot in self.files:
            os.close(self.files.pop(slot))
        file = os.open(self.path(names), flags, 0o600)
        # Positions and sizes of folders are each file system's own.
        if stat.S_ISDIR(os.fstat(file).st_mode):
            os.close(file)
            return "a folder"
        self.files[slot] = file

    def close(self, slot):
        os.close(self.files.pop(slot))

    def write(self, slot, data):
        return os.write(self.files[slot], data)

    def pwrite(self, slot, data, offset):
        return os.pwrite(self.files[slot], data, offset)

    def read(self, slot, count):
        return os.read(self.files[slot], count)

    def pread(self, slot, count, offset):
        return os.pread(self.files[slot], count, offset)

    def seek(self, slot, offset, whence):
        return os.lseek(self.files[slot], offset, whence)

    def ftruncate(self, slot, size):
        os.ftruncate(self.files[slot], size)

    def fsync(self, slot):
        os.fsync(self.files[slot])

    def fstat(self, slot):
        return os.fstat(self.files[slot]).st_size

    def map(self, slot, offset, data):
        size = os.fstat(self.files[slot]).st_size
        if offset + len(data) > size:
            return "too small"
        with mmap.mmap(self.files[slot], size) as memory:
            before = memory[offset : offset + len(data)]
            memory[offset : offset + len(data)] = data
        return before

    def truncate(self, names, size):
        os.truncate(self.path(names), size)

    def mkdir(self, names):
        os.mkdir(self.path(names))

    def rmdir(self, names):
        os.rmdir(self.path(names))

    def unlink(self, names):
        os.unlink(self.path(names))

    def rename(self, one, other):
        os.rename(self.path(one), self.path(other))

    def rename_free(self, one, other):
        renameat2(self.path(one), self.path(other), 1)

    def stat(self, names):
        found = os.lstat(self.path(names))
        return stat.S_IFMT(found.st_mode), None if stat.S_ISDIR(found.st_mode) else found.st_size

    def utime(self, names, time):
        path = self.path(names)
        os.utime(path, ns=(time, time))
        return None if os.path.isdir(path) else os.stat(path).st_mtime_ns

    def list(self, names):
        return sorted(os.listdir(self.path(names)))

    def save(self, names, data):
        """As editors do: a temporary file, and its name changed."""
        temporary = self.path(names) + ".tmp"
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(file, data)
            os.fsync(file)
        finally:
            os.close(file)
        try:
            os.rename(temporary, self.path(names))
        except OSError:
            os.unlink(temporary)
            raise

    def whole(self, names):
        with open(self.path(names), "rb") as file:
            return file.read()

    def tree(self):
        found = {}
        for folder, folders, files in os.walk(self.root):
            place = os.path.relpath(folder, self.root)
            found[place] = sorted(folders)
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(place, name)] = file.read()
        return found


def place(random):
    return [random.choice(NAMES) for _ in range(random.choice([1, 1, 1, 2, 2, 3]))]


def operation(random, slots):
    data = bytes([random.randrange(97, 123)]) * random.choice([1, 10, 100, 4096, 5000, 70000])
    offset = random.choice([0, 0, 1, 100, 4095, 4096, 10000])
    slot = random.choice(slots) if slots else 0
    kinds = ["open"] * 8 + ["save"] * 3 + ["rename"] * 4 + ["unlink"] * 3 + ["mkdir"] * 3 + ["stat"] * 3
    kinds += ["rmdir", "truncate", "rename_free", "list", "whole", "whole", "utime"]
    if slots:
        kinds += ["close"] * 5 + ["write"] * 4
        kinds += ["pwrite", "read", "pread", "seek", "ftruncate", "fsync", "fstat", "fstat", "map"]
    kind = random.choice(kinds)
    if kind == "open":
        flags = random.choice([os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR])
        for flag, odds in [(os.O_CREAT, 0.7), (os.O_EXCL, 0.1), (os.O_TRUNC, 0.2), (os.O_APPEND, 0.2)]:
            if random.random() < odds and not (flag == os.O_TRUNC and flags & 3 == 0):
                flags |= flag
        if not flags & os.O_CREAT:
            flags &= ~os.O_EXCL
        return kind, (random.randrange(6), place(random), flags)
    if kind in ["rename", "rename_free"]:
        return kind, (place(random), place(random))
    if kind == "save":
        return kind, (place(random), data)
    if kind == "truncate":
        return kind, (place(random), offset)
    if kind == "utime":
        return kind, (place(random), random.randrange(10**9, 2 * 10**9) * 10**9 + random.randrange(10**9))
    if kind in ["unlink", "mkdir", "rmdir", "stat", "list", "whole"]:
        return kind, (place(random),)
    if kind == "write":
        return kind, (slot, data)
    if kind == "pwrite":
        return kind, (slot, data, offset)
    if kind == "map":
        return kind, (slot, offset, data[:4096])
    if kind == "read":
        return kind, (slot, 5000)
    if kind == "pread":
        return kind, (slot, 5000, offset)
    if kind == "seek":
        return kind, (slot, offset, random.choice([os.SEEK_SET, os.SEEK_CUR, os.SEEK_END]))
    if kind == "ftruncate":
        return kind, (slot, offset)
    return kind, (slot,)


def done(side, kind, arguments):
    try:
        return "done", getattr(side, kind)(*arguments)
    except OSError as error:
        return "failed", errno.errorcode.get(error.errno, error.errno)


def shown(value):
    text = repr(value)
    return text if len(text) < 80 else text[:80] + "…"


def compare(one, other, what, history):
    if one == other:
        return
    for line in history[-25:]:
        print(line)
    if isinstance(one, dict):
        for key in sorted(set(one) | set(other)):
            if one.get(key) != other.get(key):
                print(f"{key}: {shown(one.get(key))} instead of {shown(other.get(key))}")
    sys.exit(f"{what}: {shown(one)} instead of {shown(other)}")


def main():
    tested, plain = Side(sys.argv[1]), Side(sys.argv[2])
    seed, count = int(sys.argv[3]), int(sys.argv[4])
    numbers = random.Random(seed)
    history = []
    began = last = time.monotonic()
    # What both have is looked through ever so often: the more there is, the longer that takes.
    looked = {"seconds": 0.0, "entries": 0}

    def compare_trees(when):
        start = time.monotonic()
        found = tested.tree()
        looked["seconds"] += time.monotonic() - start
        looked["entries"] = len(found)
        compare(found, plain.tree(), f"seed {seed}, the tree {when}", history)

    for number in range(count):
        kind, arguments = operation(numbers, sorted(plain.files))
        expected = done(plain, kind, arguments)
        found = done(tested, kind, arguments)
        history.append(f"{number} {kind} {shown(arguments)} {shown(expected)}")
        compare(found, expected, f"seed {seed}, operation {number}, {kind} {shown(arguments)}", history)
        if number % 500 == 499:
            compare_trees(f"after operation {number}")
        if number % 5000 == 4999:
            now = time.monotonic()
            looking = looked["seconds"]
            print(
                f"seed {seed}: {number + 1} operations, {now - began:.0f} s: the last 5000 {now - last - looking:.0f} s, ten"
                f" looks at all {looked['entries']} entries {looking:.0f} s",
                flush=True)
            last = now
            looked["seconds"] = 0.0
    compare_trees("at the end")
    print(f"seed {seed}: {count} operations, equal")


main()
