import Foundation

/// A terminal with somebody in front of it: a tmux server of its own, with a shell in it.
final class TmuxTerminal {
    private let machine: Machine
    private let socket: String

    private init(_ machine: Machine) {
        self.machine = machine
        socket = machine.folder + "/run/tmux-\(UInt32.random(in: 0 ... .max))"
    }

    private func start(columns: Int, rows: Int, environment: [String: String]) throws {
        try tmux(
            ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
                + environment.flatMap { ["-e", "\($0.key)=\($0.value)"] } + ["/bin/sh"])
        try type("PS1='ready> '; PATH=\(machine.folder)/bin:$PATH; stty -a > before; clear")
        try press("Enter")
        try wait { $0.hasPrefix("ready>") }
    }

    /// Runs a body with a terminal of a size, and ends its server, by its socket, afterwards.
    static func with(
        _ machine: Machine, columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
        _ body: (TmuxTerminal) throws -> Void
    ) throws {
        let terminal = TmuxTerminal(machine)
        defer { _ = try? terminal.tmux(["kill-server"]) }
        try terminal.start(columns: columns, rows: rows, environment: environment)
        try body(terminal)
    }

    /// What is on the screen, without the empty lines at its end.
    func screen() throws -> String {
        try tmux(["capture-pane", "-p"]).replacing(#/\n+$/#, with: "")
    }

    /// The same with its colours and attributes.
    func colouredScreen() throws -> String { try tmux(["capture-pane", "-p", "-e"]) }

    /// Presses keys by the names that tmux has for them: `Enter`, `Escape`, `PageDown`, `C-u`.
    func press(_ keys: String...) throws {
        for key in keys { try tmux(["send-keys", key]) }
    }

    func type(_ text: String) throws { try tmux(["send-keys", "-l", text]) }

    /// Types a command for the shell.
    func command(_ text: String) throws {
        try type(text)
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until the screen is so.
    @discardableResult
    func wait(within seconds: Double = 20, until isSo: (String) -> Bool) throws -> String {
        var last = ""
        let found = try Machine.eventually(within: seconds) {
            last = try screen()
            return isSo(last)
        }
        guard found else {
            throw Machine.Failure(description: "the screen is not as expected:\n\(last)\nlog:\n\(machine.logTail)")
        }
        return last
    }

    @discardableResult
    func wait(for text: String) throws -> String { try wait { $0.contains(text) } }

    /// The process that draws, once it does.
    func picker() throws -> Int32 {
        var found: [Int32] = []
        _ = Machine.eventually {
            let program = machine.folder + "/bin/docent"
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            found = all.compactMap { Int32($0) }.filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe")) == program
            }
            return !found.isEmpty
        }
        guard let process = found.first else { throw Machine.Failure(description: "no picker runs") }
        return process
    }

    @discardableResult
    private func tmux(_ words: [String]) throws -> String {
        // Foundation takes a process for running as long as anybody has what it inherited; tmux's server keeps all of it.
        let alone = #"""
            for file in /proc/self/fd/*; do [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"; done
            # A server that was started with its signals blocked would never hear of its end.
            exec /usr/bin/env --default-signal /usr/bin/tmux "$@"
            """#
        let result = try machine.run("/bin/bash", ["-c", alone, "tmux", "-S", socket] + words, timeout: 20)
        guard result.status == 0 else {
            throw Machine.Failure(description: "tmux \(words): \(result.errors) (apt-get install tmux)")
        }
        return result.output
    }
}
