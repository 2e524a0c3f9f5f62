import DocentCommands
import DocumentModel
import SystemPackage
import Testing

/// What newcomers read first: help and usage errors, word for word.
struct UsageTests {
    private func complaint(_ arguments: String...) throws -> String {
        let report = try #require(DocentTool.report(ofParsing: arguments))
        #expect(report.code == 64)
        #expect(report.output == "")
        return report.complaint
    }

    @Test func aLocationWithoutADomainIsWrongUsage() throws {
        #expect(
            try complaint("ls", "nonsense") == """
                docent: “nonsense” is not a location. Write it as domain:/path, for example work:/Reports/q3.pdf.
                Usage: docent ls <location> [--refresh] [--json]
                  See 'docent ls --help' for more information.
                """)
    }

    @Test func aLocationThatLeavesItsDomainIsWrongUsage() throws {
        #expect(
            try complaint("cat", "work:/a/../../etc/passwd").hasPrefix(
                "docent: “..” cannot be a name: it names a place, not an item.\n"))
        #expect(
            try complaint("cat", "work:etc/passwd").hasPrefix(
                "docent: The path of “work:etc/passwd” must begin with a slash: work:/…\n"))
    }

    @Test func aLineBreakInAnArgumentIsMadeVisible() throws {
        #expect(
            try complaint("cat", "work:/a\nb").hasPrefix(
                "docent: “a\\u{a}b” cannot be a name: it contains a control character.\nUsage: docent cat"))
    }

    @Test func aMissingArgumentIsWrongUsage() throws {
        #expect(
            try complaint("ls").hasPrefix("docent: Missing expected argument '<location>'\nUsage: docent ls <location>")
        )
    }

    @Test func anUnknownCommandIsWrongUsage() throws {
        #expect(try complaint("frobnicate").hasPrefix("docent: Unexpected argument 'frobnicate'\n"))
    }

    @Test func badNamesInOptionsAreWrongUsage() throws {
        #expect(
            try complaint("domain", "add", "no spaces", "--provider", "org.docent.folder").hasPrefix(
                "docent: “no spaces” cannot be a domain's name: use up to 64 letters"))
        #expect(
            try complaint("domain", "add", "work", "--provider", "Folder").hasPrefix(
                "docent: “Folder” cannot be a provider's identifier: write it like org.example.photos"))
        #expect(
            try complaint("domain", "add", "work", "--provider", "org.docent.folder", "--set", "path").hasPrefix(
                "docent: “path” is not a setting: write it as key=value."))
        #expect(
            try complaint("resolve", "work:/a", "--keep", "mine").hasPrefix(
                "docent: “mine” is not a way to end a conflict: write local, remote or both."))
    }

    @Test(arguments: [
        (["trash", "limits", "--days", "-1"], "“-1” is nothing for --days: write a number from 0 to 36500."),
        (["trash", "limits", "--days", "36501"], "“36501” is nothing for --days: write a number from 0 to 36500."),
        (["trash", "limits", "--days", "x"], "“x” is nothing for --days: write a number from 0 to 36500."),
        (["trash", "limits", "--size", "-5"], "“-5” is no size: write 0 or more, for example 500MB or 20GB."),
        (
            ["trash", "empty", "--older-than", "-1"],
            "“-1” is nothing for --older-than: write a number from 0 to 36500."
        ),
        (["space", "--limit", "-1"], "“-1” is no size: write 0 or more, for example 500MB or 20GB."),
        (
            ["domain", "set", "w", "--look-again", "-5"],
            "“-5” is nothing for --look-again: write a number of seconds from 10 to 31536000, or “never”."
        ),
        (
            ["domain", "set", "w", "--look-again", "5"],
            "“5” is nothing for --look-again: write a number of seconds from 10 to 31536000, or “never”."
        ),
        (
            ["domain", "set", "w", "--ask-from", "-5"],
            "“-5” is nothing for --ask-from: write a number of items from 1 to 1000000000, or “never”."
        ),
        (
            ["domain", "set", "w", "--ask-from-percent", "-3"],
            "“-3” is nothing for --ask-from-percent: write a number from 0 to 100."
        ),
        (["domain", "set", "w"], "Say what is to be changed: --ask-from, --ask-from-percent or --look-again."),
        (
            ["bookmark", "create", "w:/a", "--days", "-1"],
            "“-1” is nothing for --days: write a number from 0 to 36500."
        ),
        (["open", "w:/a", "--with"], "No command is behind --with: write one, for example docent open"),
    ])
    func aNumberOutOfItsRangeIsToldWithTheRangeAndTheCommand(words: [String], sentence: String) throws {
        let report = try #require(DocentTool.report(ofParsing: words))
        #expect(report.code == 64)
        #expect(report.complaint.hasPrefix("docent: \(sentence)"), "\(report.complaint)")
        let command = words.prefix { !$0.hasPrefix("-") && $0 != "w" && $0 != "w:/a" }.joined(separator: " ")
        #expect(report.complaint.contains("\nUsage: docent \(command) "), "\(report.complaint)")
        #expect(
            report.complaint.hasSuffix("\n  See 'docent \(command) --help' for more information."),
            "\(report.complaint)")
    }

    @Test func numbersInTheirRangeAreTaken() {
        for words in [
            ["trash", "limits", "--days", "0", "--size", "5GB"], ["trash", "limits", "--days=36500"],
            ["domain", "set", "w", "--look-again", "never", "--ask-from", "3"],
            ["domain", "set", "w", "--ask-from-percent", "100"], ["bookmark", "create", "w:/a", "--days", "1"],
        ] {
            #expect(DocentTool.report(ofParsing: words) == nil, "\(words)")
        }
    }

    @Test func everyCommandOfTheTableIsThereAndHasHelpWithAnExample() throws {
        let commands = [
            "provider list", "provider show", "domain add", "domain list", "domain remove", "ls", "stat", "cat",
            "open", "edit", "import", "export", "move", "mkdir", "rename", "rm", "download", "evict", "status",
            "host start", "host stop", "host status", "resolve", "refresh",
        ]
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            let report = try #require(DocentTool.report(ofParsing: words + ["--help"]))
            #expect(report.code == 0)
            #expect(report.output.contains("USAGE: docent \(command)"))
            #expect(!report.output.contains("OVERVIEW: \n"))
            if words[0] != "host", !["list"].contains(words.last) {
                #expect(report.output.contains("Example"), "docent \(command) has no example")
            }
        }
    }

    @Test func everyListingTakesJSON() {
        let listings = [
            ["provider", "list"], ["provider", "show", "a.b"], ["domain", "list"], ["ls", "w:/"], ["stat", "w:/"],
            ["status"], ["host", "status"],
        ]
        for listing in listings {
            #expect(DocentTool.report(ofParsing: listing + ["--json"]) == nil, "\(listing)")
        }
    }

    @Test func helpOfOpenReadsAsItShould() throws {
        let report = try #require(DocentTool.report(ofParsing: ["open", "--help"]))
        #expect(
            report.output.hasPrefix(
                """
                OVERVIEW: Have a document's contents here, and print its path or run a command on it.

                With --with, everything behind it is the command, without a shell.
                """) || report.output.contains("With --with, everything behind it is the command, without a shell."))
        #expect(report.output.contains("docent open work:/data.csv --with sort -t , -k 2 {}"))
    }

    @Test(arguments: ["open", "edit"]) func withWithoutACommandIsWrongUsage(name: String) throws {
        #expect(try complaint(name, "w:/a", "--with").hasPrefix("docent: No command is behind --with: write one, for"))
        #expect(DocentTool.report(ofParsing: [name, "w:/a", "--with", "program", "--with"]) == nil)
    }

    @Test func everythingBehindWithBelongsToTheCommand() {
        #expect(DocentTool.report(ofParsing: ["open", "w:/a", "--with", "ls", "-l", "--json", "{}"]) == nil)
        #expect(DocentTool.report(ofParsing: ["edit", "--no-wait", "w:/a", "--with", "sed", "-i", "s/a/b/"]) == nil)
    }
}

struct ErrorTextTests {
    @Test func anErrorIsOneSentenceWithItsCausesBehind() {
        let error = DocumentError(
            .providerDied, "The provider of work ended: try again.", detail: "for developers", causes: ["It crashed."])
        #expect(
            DocentTool.report(for: error)
                == DocentTool.Report(
                    code: 1, complaint: "docent: The provider of work ended: try again.\n  because: It crashed."))
    }

    @Test func aCauseThatTheSentenceRepeatsIsToldOnce() {
        let error = DocumentError(
            .busy, "It failed: No room.", causes: ["No room.", "The disk is full.", "The disk is full."])
        #expect(DocentTool.report(for: error).complaint == "docent: It failed: No room.\n  because: The disk is full.")
    }

    @Test func whatAProviderSaysCannotMoveTheCursor() {
        #expect(ErrorText.visible("a\u{1B}[2Jb\u{9B}c") == "a\u{FFFD}[2Jb\u{FFFD}c")
    }

    @Test func whatAProviderSaysCannotPassForALineOfOurs() {
        #expect(
            ErrorText.visible("Wait.\r\ndocent: All is well.\u{2028}x\u{202E}y")
                == "Wait. docent: All is well. x\u{FFFD}y")
        let error = DocumentError(.internal, "One.\n  because: two", causes: ["three\nfour\u{1B}]0;t\u{7}"])
        #expect(
            ErrorText.text(for: error) == "docent: One.   because: two\n  because: three four\u{FFFD}]0;t\u{FFFD}")
    }

    @Test func anOutputThatCannotBeWrittenIsNamedWithWhatToDo() {
        #expect(
            ErrorText.text(for: OutputFailure.error(.noSpace))
                == "docent: Standard output could not be written to the end: there is no room where it goes (No space left on device). Free some, and run the command again."
        )
        #expect(
            ErrorText.text(for: OutputFailure.error(.badFileDescriptor))
                == "docent: Standard output is closed, and this command writes to it: run it with one that is open.")
        #expect(ErrorText.text(for: OutputFailure.error(.ioError)).contains("Input/output error"))
    }

    @Test func aCancelIsAFailure() {
        #expect(DocentTool.report(for: CancellationError()).code == 1)
    }
}
