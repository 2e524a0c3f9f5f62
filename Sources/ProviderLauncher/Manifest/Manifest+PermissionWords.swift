extension Manifest {
    /// What the provider may do, in words for people, one sentence each. What is not said here it may not do.
    package var permissionSentences: [String] {
        var sentences: [String] = []
        for path in permissions.write { sentences.append("May read and change: \(words(for: path)).") }
        for path in permissions.read where !permissions.write.contains(path) {
            sentences.append("May read: \(words(for: path)).")
        }
        for path in permissions.execute { sentences.append("May read and run: \(words(for: path)).") }
        if permissions.read.isEmpty, permissions.write.isEmpty, permissions.execute.isEmpty {
            sentences.append("May not use any files of yours.")
        }
        if permissions.watch {
            sentences.append("May be told which files are opened and changed in every folder that you may read.")
        }
        sentences.append(networkSentence)
        sentences.append(
            limits.processes == 0
                ? "May not start other programs."
                : "May start other programs, up to \(limits.processes) at a time.")
        sentences.append(
            "May use up to \(limits.memory >> 20) MiB of memory and \(limits.openFiles) open files"
                + (limits.processes == 0 ? "." : ", each of its processes."))
        return sentences
    }

    private var networkSentence: String {
        guard !permissions.connect.isEmpty else { return "May not use the network." }
        let ports = permissions.connect.map { port in
            let (key, _) = Permissions.split(port)
            guard let key else { return "port \(port)" }
            let isURL = settings.contains { $0.key == key && $0.type == .url }
            return isURL ? "the port of the address you give as “\(key)”" : "the port you give as “\(key)”"
        }
        return "May connect to any computer, by TCP, at \(ports.joined(separator: ", ")); and look up names (port 53)."
    }

    private func words(for path: String) -> String {
        let (key, rest) = Permissions.split(path)
        guard let key else { return "“\(path)”, and all that is in it" }
        return rest.isEmpty || rest == "/"
            ? "the folder you give as “\(key)”, and all that is in it"
            : "“\(rest)” in the folder you give as “\(key)”"
    }
}
