import DocumentModel
import DocumentProvider
import Glibc

extension MistakenProvider {
    func createItem(_ new: ItemCreation, transfer: Transfer) async throws -> Item {
        try await serve(stores: true) {
            if mistake == .creatingUnimplemented {
                throw DocumentError(.unimplemented, "The provider cannot make documents.")
            }
            let isRemembered = mistake != .repeatedCreateMakesSecond && mistake != .repeatedCreateCollides
            // In one look: the same operation may be made in between.
            let earlier: RemoteRecord? = try remote.look { tree in
                if isRemembered, let earlier = try tree.earlier(new.operation) { return earlier }
                try tree.checkCreation(new)
                return nil
            }
            if let earlier { return try earlier.item }
            if mistake == .createShowsEarly, new.contents != nil { return try await createEarly(new, transfer) }
            let taken = try await take(new.contents, transfer, keepsHalf: mistake == .cancelledCreateLeavesHalf)
            defer { discard(taken) }
            let record = try remote.change(contents: taken?.file) { tree in
                // The same operation may have come twice at the same time.
                if isRemembered, let earlier = try tree.earlier(new.operation) { return earlier }
                return try tree.create(new, size: taken?.size ?? 0, now: .now)
            }
            signal()
            return try made(record)
        }
    }

    func modifyItem(_ change: ItemModification, transfer: Transfer) async throws -> Item {
        try await serve(stores: true) {
            let makesVersion =
                mistake == .repeatedModifyMakesVersion
                || mistake == .repeatedTimeMakesVersion && change.contents == nil && change.name == nil
            let isRemembered =
                !makesVersion && mistake != .repeatedModifyFails
                && !(mistake == .repeatedFieldsFail && change.contents != nil && change.name != nil)
            var change = change
            if isRemembered, let earlier = try remote.look({ try $0.earlier(change.operation) }) {
                return try earlier.item
            }
            if makesVersion, try remote.look({ try $0.earlier(change.operation) }) != nil {
                change.baseVersion = .none
            }
            let record = try checked(change)
            if mistake == .modifyWritesInPlace, let contents = change.contents {
                try await write(contents, over: record, transfer)
            }
            let taken = try await take(
                change.contents, transfer, over: record, keepsHalf: mistake == .cancelledModifyLeavesHalf)
            defer { discard(taken) }
            if mistake == .bothWritersWin {
                change.baseVersion = .none
                try await Task.sleep(for: .milliseconds(100))
            }
            let changed = try remote.change(contents: taken?.file) { tree in
                if isRemembered, let earlier = try tree.earlier(change.operation) { return earlier }
                return try tree.modify(change, size: taken?.size, now: .now)
            }
            signal()
            return try made(changed)
        }
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        try await serve(removes: true) {
            if mistake == .cancelledDeleteLeavesHalf, deletion.recursive { try await removeChildren(of: deletion.id) }
            try remote.change { tree in
                try tree.delete(deletion)
                return nil
            }
            signal()
        }
    }

    /// Makes an empty document first, and gives it its contents when they have come.
    private func createEarly(_ new: ItemCreation, _ transfer: Transfer) async throws -> Item {
        let empty = remote.fresh()
        try FileDescriptor.open(empty, .writeOnly, options: [.create], permissions: .ownerReadWrite).close()
        let early = try made(try remote.change(contents: empty) { try $0.create(new, size: 0, now: .now) })
        let taken = try await take(new.contents, transfer)
        defer { discard(taken) }
        let whole = ItemModification(
            id: early.id, baseVersion: .none, contents: taken?.file, operation: new.operation + " whole")
        let record = try remote.change(contents: taken?.file) {
            try $0.modify(whole, size: taken?.size, now: .now)
        }
        signal()
        return try made(record)
    }

    /// Writes contents where the old ones are, while they come.
    private func write(_ contents: FilePath, over record: RemoteRecord, _ transfer: Transfer) async throws {
        let source = try FileDescriptor.open(contents, .readOnly, options: .closeOnExec)
        defer { try? source.close() }
        let target = try FileDescriptor.open(
            remote.place(of: record), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: .ownerReadWrite)
        defer { try? target.close() }
        _ = try await copier.copy(source, to: target, transfer)
    }

    /// One after the other, until the host loses interest.
    private func removeChildren(of folder: ItemIdentifier) async throws {
        let page = try? remote.look { try $0.page(of: folder, token: nil, count: 100) }
        for item in page?.items ?? [] {
            let child = ItemDeletion(
                id: item.id, baseVersion: .none, recursive: true, operation: "child \(item.id)")
            try remote.change { tree in
                try tree.delete(child)
                return nil
            }
            // One is gone whenever it is noticed.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func made(_ record: RemoteRecord?) throws -> Item {
        guard let record else { throw DocumentError(.internal, "A change came to nothing.") }
        return try record.item
    }

    /// Looks whether a change can be made, before its contents are taken.
    private func checked(_ change: ItemModification) throws -> RemoteRecord {
        do {
            return try remote.look { try $0.checkModification(change) }
        } catch let error as DocumentError {
            if error.code == .nameCollision, mistake == .modifyHalfApplied, change.contents != nil {
                var half = change
                half.name = nil
                half.parentID = nil
                half.operation += " half"
                let file = remote.fresh()
                let bytes = try change.contents.map(Transfer().read) ?? []
                let copy = try FileDescriptor.open(file, .writeOnly, options: [.create], permissions: .ownerReadWrite)
                try copy.closeAfter { _ = try copy.writeAll(bytes) }
                try remote.change(contents: file) { try $0.modify(half, size: Int64(bytes.count), now: .now) }
            }
            throw error
        }
    }

    // MARK: Contents that come

    private struct Taken {
        var file: FilePath
        var size: Int64
    }

    /// Copies contents into the remote's folder, where they wait for their change.
    private func take(
        _ contents: FilePath?, _ transfer: Transfer, over record: RemoteRecord? = nil, keepsHalf: Bool = false
    ) async throws -> Taken? {
        guard var contents else { return nil }
        let handed = contents
        if mistake == .newContentsIgnored, let record { contents = remote.place(of: record) }
        let source = try FileDescriptor.open(contents, .readOnly, options: .closeOnExec)
        defer { try? source.close() }
        let file = remote.fresh()
        let target = try FileDescriptor.open(
            file, .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        defer { try? target.close() }
        do {
            var size = try await copier.copy(source, to: target, transfer)
            if size == 0, mistake == .emptyDocumentRefused {
                throw DocumentError(.invalidArgument, "An empty document is not worth keeping.")
            }
            if mistake == .oldContentsStayBehind, let record, record.size > size {
                let old = try Transfer().read(remote.place(of: record))
                try target.writeAll(old.dropFirst(Int(size)))
                size = record.size
            }
            if mistake == .handedFileRemoved { unlink(handed.string) }
            return Taken(file: file, size: size)
        } catch {
            if keepsHalf, transfer.isCancelled {
                return Taken(file: file, size: try target.seek(offset: 0, from: .end))
            }
            unlink(file.string)
            throw error
        }
    }

    /// Removes what did not become the contents of an item.
    private func discard(_ taken: Taken?) {
        if let taken { unlink(taken.file.string) }
    }
}
