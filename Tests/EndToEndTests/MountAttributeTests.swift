import Foundation
import Testing

/// Extended attributes that programs set through a mount (COORD-20).
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountAttributeTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for name in ["a.txt", "b.txt"] { try machine.write("first\n", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("mkdir work/d; cat work/a.txt")
                try body(machine)
            }
        }
    }

    private func python(_ machine: Machine, _ program: String) throws -> Machine.Result {
        let helpers = """
            import errno, os
            def number(body, *words):
                try:
                    body(*words)
                    return "done"
                except OSError as error:
                    return errno.errorcode[error.errno]

            """
        try machine.write(helpers + program, to: machine.folder + "/program.py")
        return try machine.shell("python3 '\(machine.folder)/program.py'")
    }

    @Test(
        "COORD-20: attributes of programs are set, read, listed and removed as on a disk, and nothing is sent for them")
    func setting() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                a = "work/a.txt"
                os.setxattr(a, "user.xdg.tags", b"holiday")
                os.setxattr(a, "user.empty", b"")
                print(os.getxattr(a, "user.xdg.tags"), os.getxattr(a, "user.empty"))
                print(os.listxattr(a))
                print(number(os.setxattr, a, "user.xdg.tags", b"x", os.XATTR_CREATE),
                      number(os.setxattr, a, "user.other", b"x", os.XATTR_REPLACE))
                os.setxattr(a, "user.xdg.tags", b"work")
                print(os.getxattr(a, "user.xdg.tags"))
                os.removexattr(a, "user.empty")
                print(number(os.removexattr, a, "user.empty"), number(os.getxattr, a, "user.empty"))
                # Also while it is being written.
                with open(a, "a") as file:
                    file.write("more\\n")
                    os.setxattr(file.fileno(), "user.open", b"yes")
                    print(os.getxattr(file.fileno(), "user.open"))
                print(open(a).read())
                """)
            let names = "['user.empty', 'user.xdg.tags']"
            let seen = result.output.replacing("['user.xdg.tags', 'user.empty']", with: names)
            #expect(
                seen == "b'holiday' b''\n\(names)\nEEXIST ENODATA\nb'work'\nENODATA ENODATA\nb'yes'\nfirst\nmore\n\n",
                "\(result.errors)")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "first\nmore\n" })
        }
    }

    @Test("COORD-20: they are no edit, and a newer version has them, too")
    func outliving() throws {
        try withTree { (machine) throws in
            let tagged = try python(machine, "os.setxattr('work/a.txt', 'user.xdg.tags', b'holiday')")
            #expect(tagged.status == 0, "\(tagged.errors)")
            #expect(try machine.succeed("status").contains("Everything is in sync"))
            try machine.write("another one\n", to: machine.remote + "/a.txt")
            #expect(
                Machine.eventually(within: 30) { (try? machine.shell("cat work/a.txt"))?.output == "another one\n" })
            #expect(try python(machine, "print(os.getxattr('work/a.txt', 'user.xdg.tags'))").output == "b'holiday'\n")
            #expect(machine.read(machine.remote + "/a.txt") == "another one\n")
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
        }
    }

    @Test(
        "What is not here and folders take none, ours cannot be removed, each with the number that says so; nothing is brought"
    )
    func refusals() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                for name in ["work/b.txt", "work/d", "work", "."]:
                    print(number(os.setxattr, name, "user.xdg.tags", b"x"), number(os.removexattr, name, "user.xdg.tags"),
                          number(os.getxattr, name, "user.xdg.tags"))
                for name in ["user.docent.state", "user.docent.item", "user.docent.other"]:
                    print(number(os.removexattr, "work/a.txt", name))
                print(number(os.getxattr, "work/a.txt", "user.docent.item"), os.listxattr("work/a.txt"))
                """)
            let refused = String(repeating: "ENOTSUP ENOTSUP ENODATA\n", count: 4)
            let ours = String(repeating: "ENOTSUP\n", count: 3)
            #expect(result.output == refused + ours + "ENODATA []\n", "\(result.errors)")
            #expect(try machine.state("work:/b.txt") == "placeholder")
        }
    }

    @Test(
        "A copy has the attributes of programs and none of ours, and a file that has some of ours is copied in without them"
    )
    func copying() throws {
        try withTree { (machine) throws in
            let copy = machine.folder + "/copy.txt"
            let result = try python(
                machine,
                """
                import shutil
                a, b, copy = "work/a.txt", "work/b.txt", "\(copy)"
                print(os.getxattr(a, "user.docent.state"))
                os.setxattr(a, "user.xdg.tags", b"holiday")
                print(os.listxattr(a), os.listxattr(b), os.listxattr("work/d"))
                shutil.copy2(a, copy)
                print(os.listxattr(copy))
                # As an older copy has it, and what FolderProvider has written.
                os.setxattr(copy, "user.docent.state", b"conflict")
                os.setxattr(copy, "user.docent.saved-by", b"another")
                # Fails at the first one that is refused, as rsync -X does.
                shutil.copyfile(copy, "work/new.txt")
                for name in os.listxattr(copy): os.setxattr("work/new.txt", name, os.getxattr(copy, name))
                print(os.listxattr("work/new.txt"), os.getxattr("work/new.txt", "user.docent.state") != b"conflict",
                      number(os.getxattr, "work/new.txt", "user.docent.saved-by"))
                """)
            let tags = "['user.xdg.tags']"
            #expect(
                result.output == "b'materialised'\n\(tags) [] []\n\(tags)\n\(tags) True ENODATA\n", "\(result.errors)")
        }
    }
}
