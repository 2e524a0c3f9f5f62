import Glibc

/// What a process can do to the machine and to its host.
extension ProviderBehaviour {
    static let processes: [ProviderBehaviour] = [
        Self("process-floods-stderr", "Writes a gigabyte to standard error, and answers.", "WIRE-52").onListing {
            peer, call in
            let lines = Array(String(repeating: "a line of a flood, password=hunter2\n", count: 2000).utf8)
            let errors = FramePipe(input: STDIN_FILENO, output: STDERR_FILENO)
            var rest = 1 << 30
            while rest > 0 {
                try errors.write(lines)
                rest -= lines.count
            }
            try peer.answerProperly(call)
        },
        Self("process-never-ends-its-line", "Writes 64 MiB to standard error without a line end.", "WIRE-52").onListing
        {
            peer, call in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65536)
            let errors = FramePipe(input: STDIN_FILENO, output: STDERR_FILENO)
            for _ in 0..<1024 { try errors.write(piece) }
            try peer.answerProperly(call)
        },
        Self("process-paints-stderr", "Writes escape sequences and noise to standard error.", "WIRE-52").onListing {
            peer, call in
            let errors = FramePipe(input: STDIN_FILENO, output: STDERR_FILENO)
            try errors.write(Array("\u{1B}[2J\u{1B}]0;owned\u{7}\u{202E}gnp.exe\n".utf8) + [0, 0xFF, 0xFE, 0x0A])
            try peer.fail(call, 301, "Look at my standard error.")
        },
        Self("process-closes-stdin", "Closes its input and lives on.", "WIRE-48").onListing { _, _ in
            close(STDIN_FILENO)
            OwnProcess.hang()
        },
        Self("process-closes-stdout", "Closes its output and lives on.", "WIRE-46").onListing { _, _ in
            close(STDOUT_FILENO)
            OwnProcess.hang()
        },
        Self("process-closes-all", "Closes everything and lives on.", "WIRE-46").onListing { _, _ in
            for descriptor in 0...2 { close(Int32(descriptor)) }
            OwnProcess.hang()
        },
        Self("process-leaves-a-child", "Ends while a child holds its pipes.", "WIRE-46").onListing { _, _ in
            try OwnProcess.spawnChild("stays")
            OwnProcess.awaitChildren(1)
            exit(3)
        },
        Self("process-child-in-a-session", "Ends while a child in a session of its own holds its pipes.", "WIRE-45")
            .onListing { _, _ in
                try OwnProcess.spawnChild("ignores", inOwnSession: true)
                OwnProcess.awaitChildren(1)
                exit(3)
            },
        Self("process-daemon", "Starts a daemon in the usual way, and ends.", "WIRE-45").onListing { _, _ in
            let child = try OwnProcess.spawnChild("leaves", inOwnSession: true)
            waitpid(child, nil, 0)
            OwnProcess.awaitChildren(1)
            exit(3)
        },
        Self("process-child-writes-on", "Ends while a child writes to its output.", "WIRE-45").onListing { _, _ in
            try OwnProcess.spawnChild("writes")
            OwnProcess.awaitChildren(1)
            exit(3)
        },
        Self("process-ignores-everything", "Ignores signals, the shutdown and the end of its input.", "WIRE-51")
            .onListing { peer, call in
                for number in [SIGTERM, SIGHUP, SIGINT] { signal(number, SIG_IGN) }
                try peer.answerProperly(call)
                OwnProcess.hang()
            },
        Self("process-stays-at-the-end", "Keeps the shutdown and SIGTERM waiting.", "WIRE-51")
            .onceOpen { _ in signal(SIGTERM, SIG_IGN) }
            .atEnd { _ in OwnProcess.hang() },
        Self("process-stops-itself", "Stops itself.", "WIRE-51").onListing { _, _ in
            kill(getpid(), SIGSTOP)
        },
        Self("process-eats-memory", "Takes memory until there is none.", "WIRE-53").onListing { _, _ in
            for _ in 0..<48 {
                let size = 64 << 20
                guard let block = malloc(size) else { break }
                memset(block, 1, size)
            }
            OwnProcess.hang()
        },
        Self("process-opens-descriptors", "Opens descriptors until there are none.", "WIRE-49").onListing { _, _ in
            for _ in 0..<1_000_000 where open("/dev/null", O_RDONLY) < 0 && dup(STDIN_FILENO) < 0 { break }
            OwnProcess.hang()
        },
        Self("process-starts-threads", "Starts threads without end, and answers when it gets no more.", "WIRE-53")
            .onListing {
                peer, call in
                // Small ones, which no limit of memory stops; not so many that the machine has none left.
                let started = OwnProcess.startThreads(upTo: 4096)
                guard started < 4096 else {
                    return try peer.fail(call, 301, "Nothing has stopped it at \(started) threads.")
                }
                try peer.answerProperly(call)
            },
        Self("process-forks", "Starts a hundred children, as far as it may, and ends.", "WIRE-45").onListing { _, _ in
            let count = (0..<100).count { (try? OwnProcess.spawnChild("ignores", inOwnSession: $0 % 2 == 0)) != nil }
            OwnProcess.awaitChildren(count)
            exit(3)
        },
        Self("process-spins", "Computes for ever.", "WIRE-28").onListing { _, _ in
            let end = time(nil) + 600
            while time(nil) < end {}
            exit(3)
        },
        Self("process-signals-the-host", "Tries to end its host.", "WIRE-63").onListing { peer, call in
            let host = pid_t(truncatingIfNeeded: Int64(bitPattern: peer.hello.number(5)))
            let reached = host > 1 && kill(host, SIGTERM) == 0
            if getppid() > 1 { kill(getppid(), SIGTERM) }
            try peer.fail(call, 301, reached ? "The host was signalled." : "The host is out of reach.")
        },
        Self("process-signals-its-group", "Ends its whole group.", "WIRE-45").onListing { _, _ in
            try OwnProcess.spawnChild("stays")
            OwnProcess.awaitChildren(1)
            kill(0, SIGKILL)
        },
        Self("process-becomes-another", "Becomes another program.", "WIRE-46").onListing { _, _ in
            try OwnProcess.become("stays")
            exit(3)
        },
        Self("process-dies-always", "Dies at every listing.", "WIRE-54").onListing { _, _ in
            OwnProcess.die(by: SIGSEGV)
        },
        Self("process-dies-once", "Dies at the first listing, and is well after that.", "WIRE-56").onListing {
            peer, call in
            let marker = peer.stateFolder + "/died"
            guard access(marker, F_OK) != 0 else { return try peer.answerProperly(call) }
            _ = try File(marker, O_WRONLY | O_CREAT)
            OwnProcess.die(by: SIGKILL)
        },
        Self("process-dies-between-calls", "Dies when it has answered.", "WIRE-54").onListing { peer, call in
            try peer.answerProperly(call)
            OwnProcess.die(by: SIGKILL)
        },
    ]
}
