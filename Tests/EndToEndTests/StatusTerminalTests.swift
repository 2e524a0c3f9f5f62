import DocumentClient
import DocumentModel
import Foundation
import Glibc
import Testing

/// `docent status` as a person sees it, at a terminal.
@Suite(.serialized) struct StatusTerminalTests {
    @Test("docent status on a terminal is a screen that updates by itself; q ends it")
    func updating() throws {
        try Machine.with { machine in
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try TmuxTerminal.with(machine, columns: 100) { terminal in
                try terminal.command("docent status; echo status $?")
                let first = try terminal.wait(for: "Everything is in sync.")
                #expect(first.hasPrefix(" Docent") && first.contains("q ends"))
                // Somebody else does something: it is seen without a key.
                try machine.succeed("download", "work:/one.txt")
                try terminal.wait { $0.contains("4 B") }
                try machine.succeed("pause", "work:/")
                let edited = try machine.docent(
                    "edit", "work:/one.txt", "--no-wait", "--with", "sh", "-c", "echo two > \"$0\"")
                #expect(edited.status == 0, "\(edited)")
                try terminal.wait(for: "waits until it is resumed")
                try machine.succeed("resume", "work:/")
                try terminal.wait(for: "Everything is in sync.")
                try terminal.resize(columns: 60, rows: 8)
                try terminal.wait { $0.contains("q ends") && $0.hasPrefix(" Docent") }
                try terminal.press("q")
                let end = try terminal.wait(for: "status 0")
                #expect(!end.contains("q ends"))
            }
        }
    }

    @Test("The screen of docent status goes on when the host is started anew, and shows what the next one says")
    func restart() throws {
        try Machine.with { machine in
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try TmuxTerminal.with(machine, columns: 100) { terminal in
                try terminal.command("docent status; echo status $?")
                try terminal.wait(for: "Everything is in sync.")
                let first = try #require(machine.daemon)
                kill(first, SIGKILL)
                try #require(Machine.eventually { machine.daemon != first })
                try machine.succeed("host", "start")
                // Told by the next host, and seen without a key.
                try machine.succeed("download", "work:/one.txt")
                try terminal.wait { $0.contains("4 B") && $0.contains("q ends") }
                try terminal.press("q")
                try terminal.wait(for: "status 0")
            }
        }
    }

    @Test("docent status whose output is no terminal, or cannot be drawn on, prints text")
    func plain() throws {
        try Machine.with { machine in
            try TmuxTerminal.with(machine, columns: 100) { terminal in
                try terminal.command("docent status | cat; TERM=dumb docent status; docent status --plain; echo end $?")
                let screen = try terminal.wait(for: "end 0")
                #expect(screen.split(separator: "\n").filter { $0.hasPrefix("There is no domain yet") }.count == 3)
            }
        }
    }
}
