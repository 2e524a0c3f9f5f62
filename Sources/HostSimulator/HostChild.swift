import Glibc

/// A run in a process of its own.
struct HostChild {
    private let process: pid_t
    private let output: Int32

    init(_ run: HostCase) {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        output = ends[0]
        var arguments = [CommandLine.arguments[0], "--one", "--show", "\(run.seed)", "--without", "\(run.without)"]
        if run.isLossy { arguments.append("--lossy") }
        if let mistake = run.mistake { arguments += ["--mistake", mistake.rawValue] }
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var child: pid_t = -1
        posix_spawn(&child, "/proc/self/exe", &actions, nil, &pointers, environ)
        process = child
        close(ends[1])
    }

    func outcome() -> HostBatch.Outcome {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        close(output)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        let complaint: String? =
            switch status {
            case 0: nil
            case 2 << 8: lines.dropLast().last ?? "the program said nothing of what it found"
            default: "the program ended with \(status): \(lines.last ?? "")"
            }
        return HostBatch.Outcome(complaint: complaint, figures: lines.last ?? "")
    }
}
