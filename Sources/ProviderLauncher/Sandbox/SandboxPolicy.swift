package import DocumentModel
package import SystemPackage

/// What one provider's process may reach, and how much it may use. A value: nothing here looks at the machine.
///
/// It has two sources, and nothing else is granted: what every program needs to run at all (``SystemFiles``), and what
/// the provider's manifest asks for, with the domain's settings put in.
package struct SandboxPolicy: Hashable, Sendable {
    package enum Access: String, Sendable, CaseIterable {
        case read
        /// And read.
        case execute
        /// Read, and change the contents of files that are there.
        case fill
        /// Read, change, make and remove.
        case write
    }

    package struct Grant: Hashable, Sendable {
        package enum Origin: Hashable, Sendable {
            /// Every program needs it; what is missing on a machine is left out.
            case system
            /// The provider's own folders and files.
            case own
            /// Its manifest asks for it.
            case manifest
        }

        package var path: FilePath
        package var access: Access
        package var origin: Origin
    }

    package var grants: [Grant]
    /// Where TCP connections may go; without any there is no network.
    package var ports: [UInt16]
    package var limits: Manifest.Limits
    /// Whether it may be told of changes to files, which Landlock does not govern.
    package var mayWatch = false
    /// Whether the provider is run where the kernel has no Landlock, too.
    package var mayLackLandlock = false
    /// What its manifest asks for and was not there when this was resolved: a process that was started with it never
    /// reaches that, also when it is there later.
    package var missing: [FilePath] = []

    /// Name servers answer there. Asking them by TCP is part of every network permission.
    static let nameServicePort: UInt16 = 53

    /// - Parameter interpreters: what has to be executed for a program that is a script.
    /// - Throws: ``DocumentError`` with the code `notConfigured` when a setting that is to name a port does not.
    package init(
        _ bundle: ProviderBundle, settings: [String: String], folders: SandboxFolders, interpreters: [FilePath] = [],
        system: SystemFiles = .standard
    ) throws(DocumentError) {
        let manifest = bundle.manifest
        let asked = manifest.permissions.resolved(settings: settings)
        ports = try asked.connect.map { text throws(DocumentError) in
            guard let port = UInt16(text), port > 0 else {
                throw DocumentError(
                    .notConfigured,
                    "“\(text)” is no port that \(manifest.name) (\(manifest.identifier)) could connect to: set one from 1 to 65535."
                )
            }
            return port
        }
        if !ports.isEmpty { ports.append(Self.nameServicePort) }
        ports = Array(Set(ports)).sorted()
        limits = manifest.limits
        mayWatch = asked.watch

        func grant(_ paths: [FilePath], _ access: Access, _ origin: Grant.Origin) -> [Grant] {
            paths.map { Grant(path: $0, access: access, origin: origin) }
        }
        grants = grant(system.readable, .read, .system)
        grants += grant(system.loaders + interpreters, .execute, .system)
        grants += grant(system.devices, .write, .system)
        if !ports.isEmpty { grants += grant(system.ofNetwork, .read, .system) }
        for interpreter in interpreters { grants += grant(system.configuration(of: interpreter), .read, .system) }
        grants += grant([bundle.folder, bundle.executable], .execute, .own)
        grants += grant([folders.state, folders.temporary], .write, .own)
        grants += grant([folders.fetch], .fill, .own) + grant([folders.send], .read, .own)
        grants += grant(asked.read.map { FilePath($0) }, .read, .manifest)
        grants += grant(asked.execute.map { FilePath($0) }, .execute, .manifest)
        grants += grant(asked.write.map { FilePath($0) }, .write, .manifest)
    }

    /// Whether it may change anything but its own: then it may also set what files have besides their contents.
    package var changesOthersFiles: Bool { grants.contains { $0.origin == .manifest && $0.access == .write } }

    /// What the trampoline is told, before the program.
    package var arguments: [String] {
        var arguments = ["--confine"]
        if mayLackLandlock { arguments.append("--without-landlock") }
        for grant in grants { arguments += ["--\(grant.access.rawValue)", grant.path.string] }
        for port in ports { arguments += ["--connect-tcp", String(port)] }
        if mayWatch { arguments.append("--watch") }
        if changesOthersFiles { arguments.append("--change-attributes") }
        arguments += ["--processes", String(limits.processes), "--memory", String(limits.memory)]
        return arguments + ["--open-files", String(limits.openFiles), "--"]
    }
}
