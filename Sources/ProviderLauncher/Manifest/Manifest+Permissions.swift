internal import DocumentModel

extension Manifest {
    /// What a provider may reach beyond its pipes, its staging folders, its own state and what every program needs.
    package struct Permissions: Hashable, Sendable {
        /// Absolute paths; each may begin with a setting in braces: `{folder}/photos`.
        package var read: [String]
        package var write: [String]
        /// Programs, or folders of programs and libraries, in the same form.
        package var execute: [String]
        /// TCP ports, or settings in braces: `{port}` of type integer, or `{url}`, which stands for its address' port.
        package var connect: [String]
        /// To be told of changes (inotify). The kernel keeps nobody who may be told to the folders that are granted.
        package var watch: Bool

        package init(
            read: [String] = [], write: [String] = [], execute: [String] = [], connect: [String] = [],
            watch: Bool = false
        ) {
            self.read = read
            self.write = write
            self.execute = execute
            self.connect = connect
            self.watch = watch
        }

        init(reader: inout ManifestReader) throws(ManifestProblem) {
            read = try reader.strings("read") ?? []
            write = try reader.strings("write") ?? []
            execute = try reader.strings("execute") ?? []
            connect = try reader.texts("connect") ?? []
            watch = try reader.bool("watch") ?? false
        }

        /// More of them than anybody reads are asked for by mistake, or worse.
        private static let most = 32

        func check(against settings: [Setting]) throws(ManifestProblem) {
            for (list, entries) in [("read", read), ("write", write), ("execute", execute), ("connect", connect)]
            where entries.count > Self.most {
                throw ManifestProblem("“\(list)” has \(entries.count) entries, and may have \(Self.most)")
            }
            for (list, paths) in [("read", read), ("write", write), ("execute", execute)] {
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
                    guard rest.isEmpty,
                        settings.contains(where: { $0.key == key && [.integer, .url].contains($0.type) })
                    else {
                        throw ManifestProblem("“\(port)” in “connect” names no setting of type integer or url")
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

        /// The paths that are the same in each domain.
        package var fixedPlaces: [String] {
            Set(read + write + execute).filter { Self.split($0).key == nil }.sorted()
        }

        /// The permissions of one domain: settings put in, and what names a setting without a value left out.
        package func resolved(settings: [String: String]) -> Permissions {
            func resolve(_ value: String) -> String? {
                let (key, rest) = Self.split(value)
                guard let key else { return value }
                return settings[key].map { $0 + rest }
            }
            // No number is an address.
            func port(_ value: String) -> String? {
                resolve(value).map { text in Manifest.port(ofURL: text).map { String($0) } ?? text }
            }
            return Permissions(
                read: read.compactMap(resolve), write: write.compactMap(resolve),
                execute: execute.compactMap(resolve), connect: connect.compactMap(port), watch: watch)
        }
    }
}
