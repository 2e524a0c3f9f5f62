package import DocumentModel
internal import Glibc
package import SystemPackage

/// What a host tool says of itself, in a file such as `tool.toml`: who it is, and what it wants to use.
package enum ToolManifest {
    /// In bytes; what is longer is no manifest.
    private static let longest = 64 * 1024

    /// Reads a manifest, and checks that the program can be told from others, and changed by nobody else. Blocks.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured`.
    package static func read(at path: FilePath) throws(DocumentError) -> (text: String, tool: ToolDescription) {
        try BundleTrust.current.check(path, "the tool's manifest")
        let text = try contents(of: path)
        let tool = try tool(text: text, file: path.string, folder: path.removingLastComponent())
        try check(FilePath(tool.executable), of: tool)
        return (text, tool)
    }

    /// Reads one that was registered: nothing of it is looked for on disk but where the program is.
    package static func tool(
        text: String, file: String, folder: FilePath
    ) throws(DocumentError) -> ToolDescription {
        do {
            var reader = try ManifestReader(text: text)
            let tool = try tool(&reader, folder)
            try reader.refuseUnknownKeys()
            return tool
        } catch {
            throw DocumentError(.notConfigured, "The manifest “\(file)” cannot be used: \(error.text).")
        }
    }

    private static func tool(
        _ reader: inout ManifestReader, _ folder: FilePath
    ) throws(ManifestProblem) -> ToolDescription {
        let id = try checked(try reader.requiredString("identifier")) { text throws(DocumentError) in
            try ToolIdentifier(text)
        }
        let name = try line("name", &reader)
        let executable = try reader.requiredString("executable")
        guard !executable.utf8.contains(0),
            !executable.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) })
        else { throw ManifestProblem("“executable” must be an absolute path, or a relative one without “..”") }
        var containers: [ContainerPattern] = []
        for text in try reader.strings("containers") ?? [] {
            containers.append(try checked(text) { text throws(DocumentError) in try ContainerPattern(text) })
        }
        let keyValue = try reader.string("key-value")
        var domains: [DomainName: Entitlements.DomainUse] = [:]
        for (key, use) in [("domains", Entitlements.DomainUse.writing), ("read-domains", .reading)] {
            for text in try reader.strings(key) ?? [] {
                let domain = try checked(text) { text throws(DocumentError) in try DomainName(text) }
                guard domains.updateValue(use, forKey: domain) == nil else {
                    throw ManifestProblem("the domain “\(domain)” is named twice")
                }
            }
        }
        let shown = try reader.tables("public-containers", read: publicContainer) ?? []
        let entitlements: Entitlements
        do {
            entitlements = try Entitlements(
                containers: containers,
                keyValueIdentifier: try keyValue.map { text throws(DocumentError) in try ContainerIdentifier(text) },
                domains: domains)
        } catch {
            throw ManifestProblem(error.message)
        }
        for container in shown where !entitlements.covers(container.identifier) {
            throw ManifestProblem("the public container “\(container.identifier)” is not one of its containers")
        }
        let isConfined = try reader.bool("confined") ?? false
        let path = FilePath(executable)
        return ToolDescription(
            id: id, name: name, executable: (path.isAbsolute ? path : folder.pushing(path)).string,
            entitlements: entitlements, publicContainers: shown, isConfined: isConfined)
    }

    private static func publicContainer(_ reader: inout ManifestReader) throws(ManifestProblem) -> PublicContainer {
        let text = try reader.requiredString("container")
        let identifier = try checked(text) { text throws(DocumentError) in try ContainerIdentifier(text) }
        let name = try line("name", &reader)
        let word = try reader.string("folders") ?? PublicContainer.FolderLevels.any.rawValue
        guard let levels = PublicContainer.FolderLevels(rawValue: word) else {
            throw ManifestProblem("“\(word)” in “folders” is not known; there are none, one and any")
        }
        return PublicContainer(identifier: identifier, name: name, folderLevels: levels)
    }

    private static func line(_ key: String, _ reader: inout ManifestReader) throws(ManifestProblem) -> String {
        let text = try reader.requiredString(key)
        guard text.utf8.count <= 200, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw ManifestProblem("“\(key)” must be one line of at most 200 bytes")
        }
        return text
    }

    private static func checked<Value>(
        _ text: String, _ make: (String) throws(DocumentError) -> Value
    ) throws(ManifestProblem) -> Value {
        do {
            return try make(text)
        } catch {
            throw ManifestProblem(error.message)
        }
    }

    // MARK: The program

    /// A script is its interpreter to the kernel, and so would every other script be.
    private static func check(_ executable: FilePath, of tool: ToolDescription) throws(DocumentError) {
        try BundleTrust.current.check(executable, "the program of \(tool.name)")
        let head = try contents(of: executable, limit: 4, isWhole: false)
        guard head == "\u{7F}ELF" else {
            throw DocumentError(
                .notConfigured,
                "“\(executable)” is a script or no program, so it cannot be told from others: the kernel knows a script by its interpreter only. Register a compiled program; a script runs with the rights of the user's own programs."
            )
        }
        let name = executable.lastComponent?.string ?? ""
        guard !interpreters.contains(where: { name == $0 || name.hasPrefix($0 + "-") || name.isVersion(of: $0) }) else {
            throw DocumentError(
                .notConfigured,
                "“\(executable)” runs whatever it is given, so all that it runs would be \(tool.name): register a program that is only that tool."
            )
        }
    }

    private static let interpreters = [
        "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox", "python", "perl", "ruby", "node", "nodejs", "lua", "php",
        "java", "guile", "env", "tclsh", "awk", "gawk", "mawk",
    ]

    private static func contents(
        of path: FilePath, limit: Int = longest, isWhole: Bool = true
    ) throws(DocumentError) -> String {
        let bytes: [UInt8]
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try file.closeAfter {
                try [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
                    while count < buffer.count {
                        let read = try file.read(
                            into: UnsafeMutableRawBufferPointer(
                                rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
                        if read == 0 { break }
                        count += read
                    }
                }
            }
        } catch {
            throw DocumentError(.notConfigured, "“\(path)” cannot be read: \(error).")
        }
        guard bytes.count <= limit || !isWhole, let text = String(validating: bytes.prefix(limit), as: UTF8.self) else {
            if !isWhole { return "" }
            throw DocumentError(.notConfigured, "“\(path)” is no manifest: it is too long, or no text in UTF-8.")
        }
        return text
    }
}

extension String {
    /// `python3.11` of `python`.
    fileprivate func isVersion(of name: String) -> Bool {
        hasPrefix(name)
            && dropFirst(name.count).utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }
}

extension ToolManifest {
    /// The program of a tool, without symbolic links. Blocks.
    package static func program(of tool: ToolDescription) throws(DocumentError) -> String {
        try BundleTrust.real(FilePath(tool.executable), "the program of \(tool.name)").string
    }
}
