import CDocentShims
import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Extended attributes: ours, which say where an item stands, and those that programs set on the files of documents that are
/// here (COORD-20).
extension MountedTree {
    func extendedAttribute(_ name: String, of node: UInt64, room: Int, _ request: KernelRequest) {
        // Who lists a folder asks for some of each file, once where the file system has none of them.
        guard name.hasPrefix("user.") else { return request.fail(.notSupported) }
        guard let place = nodes.withLock({ $0.place(of: node) }) else { return request.fail(.noData) }
        guard case .item(let location) = place else {
            guard name == MountPoint.processAttribute else { return request.fail(.noData) }
            return request.reply(attribute: Array("\(getpid())".utf8), room: room)
        }
        request.answer { [self] request in
            do {
                let status = try await following(node, from: location) { location in
                    try await link.with { try await $0.knownItem(at: location) }
                }
                if ExtendedAttributes.isOurs(name) {
                    guard let value = ExtendedAttributes.value(of: name, status) else { throw Errno.noData }
                    request.reply(attribute: Array(value.utf8), room: room)
                } else {
                    let value = try await read(status) { try ForeignAttributes.value(of: name, $0) }
                    guard let value = value ?? nil else { throw Errno.noData }
                    request.reply(attribute: value, room: room)
                }
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Lists those of programs: ours would go along with each copy.
    func extendedAttributes(of node: UInt64, room: Int, _ request: KernelRequest) {
        guard case .item(let location)? = nodes.withLock({ $0.place(of: node) }) else {
            return request.reply(attribute: [], room: room)
        }
        request.answer { [self] request in
            do {
                let status = try await following(node, from: location) { location in
                    try await link.with { try await $0.knownItem(at: location) }
                }
                let names = try await read(status) { try ForeignAttributes.names(of: $0) } ?? []
                request.reply(attribute: names.flatMap { Array(($0 + "\0").utf8) }, room: room)
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Looks at the file that an item has here: who is about to write it is not waited for.
    ///
    /// - Returns: nil when it has none.
    private func read<Value: Sendable>(
        _ status: ItemStatus, _ body: @escaping @Sendable (FileDescriptor) throws -> Value
    ) async throws -> Value? {
        guard status.item.kind == .document else { return nil }
        do {
            let file = try await openFile(FilePath(status.path), .readOnly)
            return try await disk.run { try file.closeAfter { try body(file) } }
        } catch let error as Errno where error == .noSuchFileOrDirectory {
            return nil
        }
    }

    func set(_ change: ExtendedAttributeChange, of node: UInt64, _ request: KernelRequest) {
        // Files have some of ours (FolderProvider's, those in the storage root, copies of either), which say nothing of their
        // copies: who copies a file with all that it has means the others, and would fail without having lost anything.
        if change.value != nil, ExtendedAttributes.isOurs(change.name) { return request.succeed() }
        guard ExtendedAttributes.isForeign(change.name) else { return request.fail(.notSupported) }
        guard case .item(let location)? = nodes.withLock({ $0.place(of: node) }), !location.isRoot else {
            return request.fail(.notSupported)
        }
        request.answer { [self] request in
            do {
                try await following(node, from: location) { try await set(change, of: node, at: $0) }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    private func set(_ change: ExtendedAttributeChange, of node: UInt64, at location: Location) async throws {
        // The file that comes is another one, and folders' are the provider's.
        let status = try await known(at: location)
        guard status.item.kind == .document, status.hasCurrentContents || writers.facts(of: node) != nil else {
            throw Errno.notSupported
        }
        let hold = try await link.with { try await $0.hold(location, .attributes, within: $0.patience) }
        do {
            try check(hold, of: node, at: location)
            try await set(change, under: hold)
        } catch {
            await hold.endAndWait()
            // It was evicted meanwhile, or is somewhere else.
            guard error as? Errno == .noSuchFileOrDirectory, try await isThere(status, at: location) else {
                throw error
            }
            throw Errno.notSupported
        }
        await hold.endAndWait()
    }

    private func isThere(_ status: ItemStatus, at location: Location) async throws -> Bool {
        try await known(at: location).item.id == status.item.id
    }

    private func set(_ change: ExtendedAttributeChange, under hold: AccessHold) async throws {
        let file = try await openFile(hold.path, .readOnly)
        try await disk.run { try file.closeAfter { try ForeignAttributes.set(change, file) } }
    }
}

/// The attributes of a file that are not ours.
private enum ForeignAttributes {
    /// Of a value, and of all names: the kernel takes no more.
    private static let most = 65_536

    /// - Returns: nil when it has no such attribute.
    static func value(of name: String, _ file: FileDescriptor) throws(Errno) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: most)
        let length = docent_fgetxattr(file.rawValue, name, &value, value.count)
        if length == -Int(ENODATA) || length == -Int(EOPNOTSUPP) { return nil }
        guard length >= 0 else { throw Errno(rawValue: Int32(-length)) }
        return Array(value.prefix(length))
    }

    static func names(of file: FileDescriptor) throws(Errno) -> [String] {
        var names = [CChar](repeating: 0, count: most)
        let length = docent_flistxattr(file.rawValue, &names, names.count)
        if length == -Int(EOPNOTSUPP) { return [] }
        guard length >= 0 else { throw Errno(rawValue: Int32(-length)) }
        return names.prefix(length).split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }.filter(ExtendedAttributes.isForeign)
    }

    static func set(_ change: ExtendedAttributeChange, _ file: FileDescriptor) throws(Errno) {
        let result =
            if let value = change.value {
                docent_fsetxattr(file.rawValue, change.name, value, value.count, change.flags)
            } else {
                docent_fremovexattr(file.rawValue, change.name)
            }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }
}
