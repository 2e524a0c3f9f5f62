internal import DocumentModel

extension Manifest {
    /// What a provider may reach beyond its pipes, its staging folder and its own state.
    package struct Permissions: Hashable, Sendable {
        /// Absolute paths; each may begin with a setting in braces: `{folder}/photos`.
        package var read: [String]
        package var write: [String]
        /// TCP ports, or integer settings in braces: `{port}`.
        package var connect: [String]

        package init(read: [String] = [], write: [String] = [], connect: [String] = []) {
            self.read = read
            self.write = write
            self.connect = connect
        }

        init(reader: inout ManifestReader) throws(ManifestProblem) {
            read = try reader.strings("read") ?? []
            write = try reader.strings("write") ?? []
            connect = try reader.texts("connect") ?? []
        }

        func check(against settings: [Setting]) throws(ManifestProblem) {
            for (list, paths) in [("read", read), ("write", write)] {
                for path in paths {
                    let (key, rest) = Self.split(path)
                    if let key, !settings.contains(where: { $0.key == key && $0.type == .path }) {
                        throw ManifestProblem("“\(path)” in “\(list)” names no setting of type path")
                    }
                    let isWhole = key != nil && rest.isEmpty
                    guard isWhole || SettingType.path.problem(with: rest) == nil else {
                        throw ManifestProblem(
                            "“\(path)” in “\(list)” must be an absolute path without “..”, or begin with a setting: {folder}"
                        )
                    }
                }
            }
            for port in connect {
                let (key, rest) = Self.split(port)
                if let key {
                    guard rest.isEmpty, settings.contains(where: { $0.key == key && $0.type == .integer }) else {
                        throw ManifestProblem("“\(port)” in “connect” names no setting of type integer")
                    }
                } else if UInt16(port).map({ $0 == 0 }) ?? true {
                    throw ManifestProblem("“\(port)” in “connect” must be a port from 1 to 65535, or a setting: {port}")
                }
            }
        }

        /// `{key}rest` taken apart.
        static func split(_ value: String) -> (key: String?, rest: String) {
            guard value.utf8.first == UInt8(ascii: "{"), let end = value.firstIndex(of: "}") else {
                return (nil, value)
            }
            return (
                String(value[value.index(after: value.startIndex)..<end]), String(value[value.index(after: end)...])
            )
        }

        /// The permissions of one domain: settings put in, and what names a setting without a value left out.
        package func resolved(settings: [String: String]) -> Permissions {
            func resolve(_ value: String) -> String? {
                let (key, rest) = Self.split(value)
                guard let key else { return value }
                return settings[key].map { $0 + rest }
            }
            return Permissions(
                read: read.compactMap(resolve), write: write.compactMap(resolve), connect: connect.compactMap(resolve))
        }
    }

    /// What the provider may do, in words for people, one sentence each.
    package var permissionSentences: [String] {
        var sentences: [String] = []
        for path in permissions.read { sentences.append("It may read \(words(for: path)).") }
        for path in permissions.write { sentences.append("It may read and change \(words(for: path)).") }
        for port in permissions.connect {
            let (key, _) = Permissions.split(port)
            let words = key.map { "the port that its setting “\($0)” names" } ?? "port \(port)"
            sentences.append("It may open network connections to \(words).")
        }
        return sentences.isEmpty ? ["It asks for no files and no network beyond what the host hands it."] : sentences
    }

    private func words(for path: String) -> String {
        let (key, rest) = Permissions.split(path)
        guard let key else { return "“\(path)” and what is in it" }
        return rest.isEmpty || rest == "/"
            ? "the place that its setting “\(key)” names, and what is in it"
            : "“\(rest)” in the place that its setting “\(key)” names"
    }
}
