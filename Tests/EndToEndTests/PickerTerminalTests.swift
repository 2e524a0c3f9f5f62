import Foundation
import Testing

/// `docent pick` as a person uses it, at a terminal.
@Suite(.serialized) struct PickerTerminalTests {
    /// A machine with the domain `work`, in which there are folders, documents and a picture.
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            let manager = FileManager.default
            for folder in ["/Letters/2026", "/Accounts"] {
                try manager.createDirectory(atPath: machine.remote + folder, withIntermediateDirectories: true)
            }
            for name in ["one.txt", "two.txt", "日本語の文書.txt", "photo.png", "Letters/may.txt", "Letters/2026/deep.md"] {
                try machine.write("This is \(name).\n", to: machine.remote + "/" + name)
            }
            try machine.write("a report", to: machine.folder + "/work/report.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    private func line(_ screen: String, with text: String) -> String? {
        screen.split(separator: "\n").first { $0.contains(text) }.map(String.init)
    }

    @Test("PICK-2: what is chosen is brought, and only its path is printed")
    func choosing() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("cat \"$(docent pick)\"; echo status $?")
                let first = try terminal.wait(for: "one.txt")
                #expect(first.hasPrefix(" Open a document"))
                #expect(line(first, with: "one.txt")?.contains("○ one.txt") == true)
                #expect(line(first, with: "one.txt")?.contains("17 B") == true)
                try terminal.type("two")
                let filtered = try terminal.wait(for: "1 of")
                #expect(!filtered.contains("one.txt"))
                try terminal.press("Enter")
                let end = try terminal.wait(for: "status 0")
                #expect(end.contains("This is two.txt.") && !end.contains("Open a document"))
                #expect(end.hasPrefix("ready>"), "what was on the screen before is there again")
            }
        }
    }

    @Test("PICK-21, BOOK-5: what is chosen for a registered tool is given to that one, as a bookmark, and to no other")
    func choosingForATool() throws {
        try withWork { machine in
            try FileManager.default.copyItem(atPath: "/bin/true", toPath: machine.folder + "/bin/notes")
            try machine.write(
                "identifier = \"org.example.notes\"\nname = \"Notes\"\nexecutable = \"bin/notes\"\n",
                to: machine.folder + "/tool.toml")
            try machine.succeed("tool", "register", machine.folder + "/tool.toml")
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("docent pick --for org.example.none; echo status $?")
                try terminal.wait(for: "There is no tool org.example.none")
                try terminal.command("clear; docent pick --for org.example.notes --read-only > given; echo status $?")
                try terminal.wait(for: "one.txt")
                try terminal.type("two")
                try terminal.wait(for: "1 of")
                try terminal.press("Enter")
                try terminal.wait(for: "status 0")
            }
            let given = try #require(try machine.json("bookmark", "list") as? [[String: Any]])
            #expect(given.count == 1 && given[0]["tool"] as? String == "org.example.notes")
            #expect(given[0]["madeAt"] as? String == "work:/two.txt")
            let bookmark = try #require(machine.read(machine.folder + "/work/given")?.split(separator: "\n").first)
            let other = try machine.docent("bookmark", "resolve", String(bookmark))
            #expect(other.status == 1 && other.errors.contains("is bound to the tool org.example.notes"), "\(other)")
        }
    }

    @Test("arrow keys lead into folders and out of them; Home, End and the pages move")
    func moving() throws {
        try withWork { machine in
            for number in 100..<160 { try machine.write("x", to: machine.remote + "/Accounts/\(number).txt") }
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("docent pick > out; echo status $?")
                try terminal.wait(for: "Letters/")
                #expect(line(try terminal.screen(), with: "❯ ")?.contains("filter") == true)
                try terminal.press("Right")
                try terminal.wait(for: "work:/Accounts")
                try terminal.wait(for: "100.txt")
                try terminal.press("End")
                try terminal.wait { self.line($0, with: "159.txt")?.hasPrefix("❯") == true }
                try terminal.press("PageUp")
                try terminal.wait { self.line($0, with: "141.txt")?.hasPrefix("❯") == true }
                try terminal.press("Home", "PageDown")
                try terminal.wait { self.line($0, with: "118.txt")?.hasPrefix("❯") == true }
                try terminal.press("Left")
                try terminal.wait { self.line($0, with: "Accounts/")?.hasPrefix("❯") == true }
                try terminal.press("Down", "Enter")
                try terminal.wait(for: "work:/Letters")
                try terminal.wait(for: "2026/")
                try terminal.press("Enter")
                try terminal.wait(for: "deep.md")
                try terminal.press("BSpace")
                try terminal.wait { $0.contains("may.txt") && !$0.contains("deep.md") }
                try terminal.press("BSpace", "BSpace")
                try terminal.wait { $0.contains("Provider") && $0.contains("work/") }
                try terminal.press("Enter")
                try terminal.wait(for: "one.txt")
                try terminal.type("one")
                try terminal.press("Enter")
                try terminal.wait(for: "status 0")
                #expect(machine.read(machine.folder + "/work/out") == machine.root + "/documents/work/one.txt\n")
            }
        }
    }

    @Test("PICK-16: Escape and Ctrl-C cancel with exit code 1, print nothing, and give the terminal back")
    func cancelling() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                for (index, key) in ["Escape", "C-c"].enumerated() {
                    try terminal.command("docent pick > out; echo status-\(index) $?; stty -a > after")
                    try terminal.wait(for: "one.txt")
                    try terminal.press(key)
                    let end = try terminal.wait(for: "status-\(index) 1")
                    #expect(end.hasPrefix("ready>") && !end.contains("one.txt"))
                    #expect(machine.read(machine.folder + "/work/out") == "")
                    let isBack = Machine.eventually {
                        let after = machine.read(machine.folder + "/work/after")
                        return after != nil && after == machine.read(machine.folder + "/work/before")
                    }
                    #expect(isBack, "the terminal's settings are what they were")
                }
            }
        }
    }

    @Test("the terminal is given back when a signal ends the picker, and when it crashes")
    func signals() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                for (index, signal) in [SIGTERM, SIGHUP, SIGINT, SIGSEGV].enumerated() {
                    try terminal.command("rm -f after; docent pick > out; echo status-\(index) $?; stty -a > after")
                    try terminal.wait(for: "one.txt")
                    kill(try terminal.picker(), signal)
                    try terminal.wait(for: "status-\(index) \(128 + signal)")
                    #expect(try terminal.screen().hasPrefix("ready>"))
                    let isBack = Machine.eventually {
                        let after = machine.read(machine.folder + "/work/after")
                        return after != nil && after == machine.read(machine.folder + "/work/before")
                    }
                    #expect(isBack, "after signal \(signal)")
                    #expect(machine.read(machine.folder + "/work/out") == "")
                }
            }
        }
    }

    @Test("PICK-14: only the types that were asked for can be chosen, and it is said why")
    func types() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine, columns: 100) { terminal in
                try terminal.command("docent pick --type text/plain --from work > out; echo status $?")
                try terminal.wait(for: "photo.png")
                let dim = try terminal.colouredScreen().split(separator: "\n").first { $0.contains("photo.png") }
                #expect(dim?.contains("\u{1B}[2m") == true, "dimmed")
                try terminal.type("photo")
                try terminal.press("Enter")
                try terminal.wait(for: "is of the type public.png")
                try terminal.press("C-u")
                try terminal.type("日本")
                try terminal.wait(for: "1 of")
                try terminal.press("Enter")
                try terminal.wait(for: "status 0")
                #expect(machine.read(machine.folder + "/work/out")?.hasSuffix("/日本語の文書.txt\n") == true)
            }
        }
    }

    @Test("PICK-3, PICK-17, PICK-19: export goes to a new folder under a new name, and asks before it replaces")
    func exporting() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("docent pick --mode export report.txt; echo status $?")
                try terminal.wait(for: "Put “report.txt” here")
                try terminal.press("C-n")
                try terminal.wait(for: "New folder:")
                try terminal.type("Sent")
                try terminal.press("Enter")
                try terminal.wait { self.line($0, with: "Sent/")?.hasPrefix("❯") == true }
                try terminal.press("Right")
                try terminal.wait(for: "work:/Sent")
                try terminal.wait(for: "Put “report.txt” here")
                try terminal.press("Enter")
                try terminal.wait(for: "Name: report.txt")
                try terminal.press("C-u")
                try terminal.type("final.txt")
                try terminal.press("Enter")
                let end = try terminal.wait(for: "status 0")
                #expect(end.contains("work:/Sent/final.txt"))
                #expect(machine.read(machine.remote + "/Sent/final.txt") == "a report")

                try terminal.command("clear; docent pick --mode move report.txt; echo status $?")
                try terminal.wait(for: "Put “report.txt” here")
                try terminal.press("C-s")
                try terminal.press("C-u")
                try terminal.type("one.txt")
                try terminal.press("Enter")
                try terminal.wait(for: "“one.txt” is there already. Replace it?")
                #expect(machine.read(machine.remote + "/one.txt") == "This is one.txt.\n")
                try terminal.press("y")
                let moved = try terminal.wait(for: "status 0")
                #expect(moved.contains("/documents/work/one.txt"))
                #expect(machine.read(machine.remote + "/one.txt") == "a report")
                #expect(machine.read(machine.folder + "/work/report.txt") == nil)
            }
        }
    }

    @Test("PICK-20: ^F finds what is deeper, and says that it cannot know of folders nobody has looked into")
    func searching() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("cat \"$(docent pick)\"; echo status $?")
                try terminal.wait(for: "one.txt")
                try terminal.type("deep")
                try terminal.wait(for: "Nothing matches")
                try terminal.press("C-f")
                try terminal.wait(for: "Nothing was found.")
                try terminal.wait(for: "Folders that nobody has looked into yet are left out.")
                try terminal.press("Left")
                for folder in ["Letters", "2026"] {
                    try terminal.wait(for: folder + "/")
                    try terminal.type(folder)
                    try terminal.press("Right")
                }
                try terminal.wait(for: "deep.md")
                try terminal.press("Left")
                try terminal.press("Left")
                try terminal.wait(for: "1 of 6")
                try terminal.press("C-u")
                try terminal.wait(for: "one.txt")
                try terminal.type("deep")
                try terminal.press("C-f")
                try terminal.wait(for: "Letters/2026/deep.md")
                try terminal.press("Enter")
                try terminal.wait(for: "This is Letters/2026/deep.md.")
                try terminal.wait(for: "status 0")
            }
        }
    }

    @Test("PICK-1: import makes a copy here, and asks before it replaces")
    func importing() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine) { terminal in
                try machine.write("mine", to: machine.folder + "/work/one.txt")
                try terminal.command("docent pick --mode import; echo status $?")
                try terminal.wait(for: "one.txt")
                try terminal.type("one")
                try terminal.press("Enter")
                try terminal.wait(for: "Replace it?")
                #expect(machine.read(machine.folder + "/work/one.txt") == "mine")
                try terminal.press("y")
                try terminal.wait(for: "status 0")
                #expect(machine.read(machine.folder + "/work/one.txt") == "This is one.txt.\n")
            }
        }
    }

    @Test(
        "it fits small and large terminals, and follows when one is resized", arguments: [(40, 10), (200, 60), (20, 5)])
    func sizes(columns: Int, rows: Int) throws {
        try withWork { machine in
            try TmuxTerminal.with(machine, columns: columns, rows: rows) { terminal in
                try terminal.command("docent pick > out")
                // On five lines there is room for one.
                try terminal.wait(for: "Accounts/")
                let lines = try terminal.screen().split(separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count <= rows && lines[0].contains("work:/"))
                if rows >= 10 { #expect(lines.contains { $0.contains("日本語の文書.txt") && $0.contains("B") }) }
                try terminal.resize(columns: 90, rows: 15)
                try terminal.wait { $0.contains("Modified") && $0.contains("elsewhere") && $0.contains("Esc cancel") }
                try terminal.resize(columns: columns, rows: rows)
                try terminal.wait { $0.split(separator: "\n", omittingEmptySubsequences: false).count <= rows }
                try terminal.press("Escape")
                try terminal.wait(for: "ready>")
            }
        }
    }

    @Test("names, however hostile, are shown and never obeyed")
    func hostileNames() throws {
        try withWork { machine in
            try machine.write("x", to: machine.remote + "/a\u{202E}txt.exe")
            try machine.write("x", to: machine.remote + "/" + String(repeating: "long ", count: 45) + ".txt")
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("docent pick > out")
                let screen = try terminal.wait(for: "a\u{FFFD}txt.exe")
                #expect(!screen.unicodeScalars.contains("\u{202E}"))
                #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 80 })
                #expect(line(screen, with: "long long")?.contains("…") == true)
                try terminal.press("Escape")
                try terminal.wait(for: "ready>")
            }
        }
    }

    @Test("without colours, and without Unicode, it can still be used")
    func plainTerminals() throws {
        try withWork { machine in
            try TmuxTerminal.with(machine, environment: ["NO_COLOR": "1", "LC_ALL": "C"]) { terminal in
                try terminal.command("docent pick > out")
                try terminal.wait(for: "one.txt")
                try terminal.wait(for: "> type to filter")
                let screen = try terminal.colouredScreen()
                #expect(!screen.contains("[34m") && !screen.contains("[36m"))
                #expect(screen.contains("- one.txt"))
                try terminal.press("Escape")
                try terminal.wait(for: "ready>")
            }
        }
    }

    @Test("where there is no terminal, or one that cannot be drawn on, it says so and starts nothing")
    func noTerminal() throws {
        try Machine.with { machine in
            for (name, expected) in [("dumb", "TERM is “dumb”"), ("", "TERM is"), ("xterm", "needs a terminal")] {
                // Without a controlling terminal, as in a service.
                let result = try machine.run(
                    "/usr/bin/setsid", ["--wait", machine.folder + "/bin/docent", "pick"], environment: ["TERM": name])
                #expect(result.status == 1 && result.output.isEmpty)
                #expect(result.errors.hasPrefix("docent: The picker") && result.errors.contains(expected))
            }
            #expect(machine.daemon == nil)
        }
    }

    @Test("PICK-16: a download shows how far it is, and Escape ends it", .timeLimit(.minutes(2)))
    func progress() throws {
        try Machine.with { machine in
            try machine.installRecordingProvider()
            try machine.succeed("domain", "add", "book", "--provider", "org.example.recording", "--set", "slow=yes")
            try TmuxTerminal.with(machine) { terminal in
                try terminal.command("docent pick > out; echo status $?")
                try terminal.wait(for: "Choose wisely.")
                try terminal.type("welcome")
                try terminal.press("Enter")
                try terminal.wait(for: "The welcome is not for you.")
                try terminal.press("C-u")
                try terminal.type("day")
                try terminal.press("Enter")
                try terminal.wait(for: "Checklist.txt")
                try terminal.press("Enter")
                let screen = try terminal.wait(for: "of 2.0 MB")
                #expect(screen.contains("░") && screen.contains(" %") && screen.contains("Esc cancel"))
                try terminal.press("Escape")
                try terminal.wait(for: "status 1")
                #expect(machine.read(machine.folder + "/work/out") == "")
            }
        }
    }
}
