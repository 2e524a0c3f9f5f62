import DocumentHost
import DocumentModel
import Glibc
import SystemPackage

/// What callers do with a domain, and what must hold for them whatever its provider sends.
struct DomainCallers: Sendable {
    let host: DocumentHost
    let domain: DomainName
    let ledger: DocumentLedger
    /// For files of the caller's own.
    let work: FilePath

    /// How long a call may take: its provider answers at once, or is gone.
    private static let patience = Duration.seconds(120)

    private enum Ending: Sendable {
        case done, late
        case complaint(String)
    }

    struct Complaint: Error {
        let text: String
    }

    /// - Returns: what did not hold; nil when all did.
    func perform(_ acts: [DomainScript.Act]) async -> String? {
        let tool = host.connect(tool: "fuzz")
        defer { host.disconnect(tool) }
        for (number, act) in acts.enumerated() {
            let ending = await withTaskGroup(of: Ending.self) { group in
                group.addTask { await perform(act, number, tool) }
                group.addTask {
                    try? await Task.sleep(for: Self.patience)
                    return .late
                }
                defer { group.cancelAll() }
                return await group.next() ?? .late
            }
            switch ending {
            case .done: continue
            case .late: return "“\(act)” came to no end."
            case .complaint(let text): return "“\(act)”: \(text)"
            }
        }
        return nil
    }

    private func perform(_ act: DomainScript.Act, _ number: Int, _ tool: DocumentHost.Tool) async -> Ending {
        do {
            try await carryOut(act, number, tool)
            return .done
        } catch let complaint as Complaint {
            return .complaint(complaint.text)
        } catch let error as DocumentError {
            return error.message.isEmpty ? .complaint("It failed without a word: \(error.code).") : .done
        } catch {
            return .complaint("It failed with \(error).")
        }
    }

    private func carryOut(_ act: DomainScript.Act, _ number: Int, _ tool: DocumentHost.Tool) async throws {
        let document = try place("a.txt")
        switch act {
        case .list: try await list(refreshing: true)
        case .listAgain: try await list(refreshing: false)
        case .refresh: try await host.refresh(try place(nil))
        case .read: try await read(document, tool)
        case .readAnother: try await read(try place("f").appending(try name("b.txt")), tool)
        case .write: try await write(document, tool)
        case .create: try await create(number)
        case .remove: try await host.remove(document, recursive: false, discardingUnsent: false)
        case .rename: _ = try await host.rename(try place("away.txt"), to: try place("renamed.txt"))
        case .evict: _ = try await host.evict(document)
        case .look:
            _ = try await host.item(at: document)
            try await lookAtThumbnail(document, tool)
        case .pick: try await pick(tool)
        case .pickPlace: try await pickPlace(number, tool)
        case .lookAround:
            let session = try await begin(try PickerRequest(.import, types: [.content], domain: domain), tool).session
            try host.cancelPicker(session, for: tool)
        }
    }

    /// What comes is a picture of the size that was asked for, whatever the provider sends.
    private func lookAtThumbnail(_ document: Location, _ tool: DocumentHost.Tool) async throws {
        let outcomes = try await host.thumbnails(of: [document], size: 128, for: tool)
        guard outcomes.count == 1 else { throw Complaint(text: "One thumbnail is \(outcomes.count).") }
        if case .image(let thumbnail) = outcomes[0], !thumbnail.fits(1024) {
            throw Complaint(text: "A thumbnail has \(thumbnail.header).")
        }
        if case .failed(let error) = outcomes[0], error.message.isEmpty {
            throw Complaint(text: "A thumbnail failed without a word: \(error.code).")
        }
    }

    private func name(_ text: String) throws -> ItemName { try ItemName(text) }

    private func place(_ text: String?) throws -> Location {
        let top = Location(domain: domain)
        return try text.map { top.appending(try name($0)) } ?? top
    }

    private func list(refreshing: Bool) async throws {
        let inside = host.rootPath.appending("documents").appending(domain.rawValue).string + "/"
        var page: PageToken?
        for number in 0..<200 {
            let found = try await host.items(
                in: try place(nil), page: page, suggestedCount: 100, refreshing: refreshing && number == 0)
            for status in found.items {
                guard let name = status.item.name?.rawValue, !name.isEmpty, name != ".", name != "..",
                    !name.unicodeScalars.contains(where: { $0 == "/" || $0.value < 0x20 })
                else { throw Complaint(text: "An item is called “\(status.item.name?.rawValue ?? "")”.") }
                guard status.path.isEmpty || status.path.hasPrefix(inside), !status.path.contains("/../") else {
                    throw Complaint(text: "An item lies at “\(status.path)”.")
                }
            }
            page = found.next
            if page == nil { return }
        }
        throw Complaint(text: "A listing has no end.")
    }

    /// Whole contents, as somebody wrote them.
    private func read(_ location: Location, _ tool: DocumentHost.Tool) async throws {
        let access = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
        let contents = access.items.first.map(\.path).flatMap(DocumentLedger.contents)
        try await host.endAccess(access.number, of: tool)
        // A folder may lie in the document's place by now.
        guard let contents else { return }
        guard ledger.isKnown(contents) else {
            throw Complaint(text: "A document has contents that nobody wrote: \(contents.prefix(200))")
        }
    }

    private func write(_ location: Location, _ tool: DocumentHost.Tool) async throws {
        let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
        guard let path = access.items.first?.path else { throw Complaint(text: "An access is to nothing.") }
        let edit = ledger.newEdit()
        let overwritten = DocumentLedger.contents(of: path)
        let file = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
        if file >= 0 {
            let count = Glibc.write(file, edit, edit.count)
            close(file)
            if count == edit.count { ledger.edited(edit) }
            if let overwritten { ledger.took(overwritten) }
        }
        try await host.endAccess(access.number, of: tool)
        await waitALittle(for: location)
    }

    func newFile(_ contents: [UInt8]) throws -> FilePath {
        let source = work.appending("new.txt")
        let file = open(source.string, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Complaint(text: "The caller's own file cannot be written: \(errno).") }
        _ = Glibc.write(file, contents, contents.count)
        close(file)
        return source
    }

    private func create(_ number: Int) async throws {
        let edit = ledger.newEdit()
        let source = try newFile(edit)
        _ = try await host.export(
            source, to: try place("new\(number).txt"), removingSource: false, replacing: false)
        ledger.edited(edit)
        await waitALittle(for: try place(nil))
    }

    /// Its provider answers at once, and what it refuses is tried again later and later: nobody waits for that here.
    func waitALittle(for location: Location) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await host.waitUntilSent(location) }
            group.addTask { try? await Task.sleep(for: .milliseconds(20)) }
            await group.next()
            group.cancelAll()
        }
    }
}
