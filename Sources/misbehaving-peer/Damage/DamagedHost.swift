import Glibc

/// Runs a host and stands between it and its tools, so that it seems damaged in one way. It is the process that was
/// started as the host, and what it leaves behind is the host's.
final class DamagedHost {
    private struct Closed: Error {}
    /// Microseconds that an answer is late when others wait, too.
    private static let wait: UInt32 = 300_000

    private let damage: HostDamage
    /// Where tools look for the host's socket.
    private let folder: String
    private let root: String
    private let process: pid_t
    private var children: [pid_t] = []
    private var connections: [RelayedConnection] = []
    private var hasFailed = false
    /// There is a domain of a provider that misbehaves.
    private var isAttacked = false

    /// - Parameter command: the host and its arguments. It gets a folder of its own for its socket.
    init(_ damage: HostDamage, _ command: [String]) throws {
        self.damage = damage
        guard let runtime = getenv("XDG_RUNTIME_DIR"), let root = getenv("DOCENT_ROOT") else {
            throw Misuse(description: "XDG_RUNTIME_DIR and DOCENT_ROOT have to be set, as the conformance kit does")
        }
        folder = String(cString: runtime) + "/docent"
        self.root = String(cString: root)
        guard let program = command.first else { throw Misuse(description: "name a host after “--”") }
        mkdir(String(cString: runtime) + "/own", 0o700)
        setenv("XDG_RUNTIME_DIR", String(cString: runtime) + "/own", 1)
        var pid: pid_t = 0
        let result = Arguments.withCStrings(command) { posix_spawnp(&pid, program, nil, nil, $0, environ) }
        guard result == 0 else { throw Misuse(description: "“\(program)” cannot be started: errno \(result)") }
        process = pid
    }

    /// Runs until the host ends.
    ///
    /// - Returns: its exit status.
    func run() throws -> Int32 {
        defer { for child in children { kill(child, SIGKILL) } }
        let own = try hostSocket()
        mkdir(folder, 0o700)
        let listener = try Socket.listen("\(folder)/\(own.name)")
        while true {
            if let status = ended() {
                if damage == .processOutlives { leaveBehind() }
                if damage == .crashesAtTheEnd { OwnProcess.die(by: SIGKILL) }
                return status
            }
            var entries = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            for connection in connections {
                let tool = connection.isToolGone ? -1 : connection.tool
                entries.append(pollfd(fd: tool, events: Int16(POLLIN), revents: 0))
                entries.append(pollfd(fd: connection.host, events: Int16(POLLIN), revents: 0))
            }
            guard poll(&entries, nfds_t(entries.count), 50) > 0 else { continue }
            for (number, connection) in Array(connections.enumerated()) {
                serve(
                    connection, toolSpeaks: entries[2 * number + 1].revents != 0,
                    hostSpeaks: entries[2 * number + 2].revents != 0)
            }
            if entries[0].revents != 0 { take(listener, own.path) }
        }
    }

    /// The host's own socket, when it answers.
    private func hostSocket() throws -> (path: String, name: String) {
        guard let runtime = getenv("XDG_RUNTIME_DIR") else { throw Misuse(description: "no folder for sockets") }
        let folder = String(cString: runtime) + "/docent"
        for _ in 0..<1000 {
            for name in Folder.names(in: folder) where name.hasSuffix(".sock") {
                guard let descriptor = try? Socket.connect("\(folder)/\(name)") else { continue }
                close(descriptor)
                return ("\(folder)/\(name)", name)
            }
            if let status = ended() { throw Misuse(description: "the host ended with status \(status)") }
            usleep(20_000)
        }
        kill(process, SIGKILL)
        throw Misuse(description: "the host opens no socket")
    }

    /// A process that is taken for one of the providers', by a word of its command line.
    private func leaveBehind() {
        let machine = root.split(separator: "/").dropLast().joined(separator: "/")
        setenv(OwnProcess.ownerKey, "/\(machine)/bundles/left-behind", 1)
        _ = try? OwnProcess.spawnChild("stays", inOwnSession: true)
    }

    private func ended() -> Int32? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    // MARK: Connections

    private func take(_ listener: Int32, _ path: String) {
        let tool = accept(listener, nil, nil)
        guard tool >= 0 else { return }
        _ = fcntl(tool, F_SETFD, FD_CLOEXEC)
        guard let host = try? Socket.connect(path) else {
            close(tool)
            return
        }
        connections.append(RelayedConnection(tool: tool, host: host))
    }

    private func serve(_ connection: RelayedConnection, toolSpeaks: Bool, hostSpeaks: Bool) {
        if hostSpeaks {
            if damage == .othersWait, isAttacked, connections.contains(where: { $0 !== connection && $0.isWaiting }) {
                usleep(Self.wait)
            }
            guard connection.passBack(damaged) else { return end(connection) }
        }
        let isKept = damage == .connectionsStay && hasFailed
        guard toolSpeaks, !connection.isToolGone, !connection.passOn(keepingHost: isKept) else { return }
        if isKept { return connection.closeTool() }
        end(connection)
    }

    private func end(_ connection: RelayedConnection) {
        connection.closeTool()
        close(connection.host)
        connections.removeAll { $0 === connection }
    }

    // MARK: Damages

    private func damaged(_ frame: PeerFrame, _ question: RelayedConnection.Question?) throws -> [UInt8]? {
        guard damage != .answersNothing || question?.call == .hostStatus else { return nil }
        return frame.kind == .failure
            ? try failed(frame, isSending: question?.call == .waitUntilSent) : answered(frame, question)
    }

    /// What is made of an answer.
    private func answered(_ frame: PeerFrame, _ question: RelayedConnection.Question?) -> [UInt8] {
        if question?.call == .addDomain, !isOf("well-behaved", question) { isAttacked = true }
        switch (damage, question?.call) {
        case (.memoryGrows, .hostStatus) where hasFailed:
            // Of a message that comes twice in an answer, the second adds to the first.
            let more = MessageWriter.message { $0.message(2) { $0.number(8, 1 << 40) } }
            return PeerFrame.answer(frame.id, frame.message.bytes(1) + more).bytes
        case (.failureUnrecorded, .lastFailure):
            return PeerFrame.answer(frame.id, MessageWriter.message { $0.message(30) { _ in } }).bytes
        case (.featureRefused, .addDomain):
            guard isOf("hello-unknown-feature", question) else { break }
            return PeerFrame.failure(frame.id, 301, "The provider offers what is not known here.").bytes
        case (.documentSwapped, .beginAccess):
            try? forEachDomain { try? File($0 + "/good.txt", O_WRONLY | O_TRUNC).write(Array("other\n".utf8)) }
        default: break
        }
        return frame.bytes
    }

    /// Whether it is a domain of a behaviour.
    private func isOf(_ behaviour: String, _ question: RelayedConnection.Question?) -> Bool {
        String(decoding: question?.body ?? [], as: UTF8.self).contains(behaviour)
    }

    /// What is made of a failure that a tool is to be told of.
    private func failed(_ frame: PeerFrame, isSending: Bool) throws -> [UInt8]? {
        let isFirst = !hasFailed
        hasFailed = true
        switch damage {
        case .nothing, .answersNothing, .crashesAtTheEnd, .connectionsStay, .memoryGrows, .processOutlives,
            .featureRefused, .documentSwapped, .othersWait, .failureUnrecorded:
            break
        case .failureLost: return nil
        case .failureAsMissing: return PeerFrame.failure(frame.id, 201, "There is no such document here.").bytes
        case .failureAsSuccess: if isSending { return RelayedConnection.success(frame) }
        case .failureCloses: throw Closed()
        case .documentInPlace: try forEachDomain { try File($0 + "/target.txt", O_WRONLY | O_CREAT).write([0x68]) }
        case .placeholderTouched: try forEachDomain { utimes($0 + "/.docent-placeholders/target.txt", nil) }
        case .editLost: if isSending { try forEachDomain { truncate($0 + "/target.txt", 0) } }
        case .processStays: if isFirst { children.append(try OwnProcess.spawnChild("ignores")) }
        case .processUnburied: if isFirst { children.append(try OwnProcess.spawnChild("ends")) }
        case .fileStays: if isFirst { _ = try File(root + "/.docent/staging/left-behind", O_WRONLY | O_CREAT) }
        case .fileOutside:
            if isFirst, let home = getenv("HOME") {
                _ = try File(String(cString: home) + "/evil.txt", O_WRONLY | O_CREAT)
            }
        case .logPainted: if isFirst { _ = Glibc.write(STDERR_FILENO, "\u{1B}[2Jowned\n", 10) }
        case .logNoise: if isFirst { _ = Glibc.write(STDERR_FILENO, [0x6E, 0xFF, 0xFE, 0x0A] as [UInt8], 4) }
        case .hostDies: kill(process, SIGKILL)
        }
        return frame.bytes
    }

    /// The documents' folder of each domain that is attacked.
    private func forEachDomain(_ body: (String) throws -> Void) throws {
        for name in Folder.names(in: root + "/documents") where name.hasPrefix("a") {
            try body(root + "/documents/" + name)
        }
    }
}
