import DocumentModel
import DocumentWire
import Synchronization

/// What the host gave to the tool of a script, by what it names it: what an input calls the third access is the third one that
/// it got, whatever number the host gave it. So with picker sessions and what is shown in them, watches, and bookmarks.
final class HeldNumbers: Sendable {
    fileprivate struct State {
        var accesses: [UInt64] = []
        var sessions: [UInt64] = []
        var entries: [PickerEntryID] = []
        var watches: [UInt64] = []
        var bookmarks: [Bookmark] = []
    }

    private let state = Mutex(State())

    func take(_ reply: ServiceReply) {
        state.withLock { state in
            switch reply {
            case .beginAccess(let number, _, _, _): state.accesses.append(number)
            case .beginPicker(let session, let roots):
                state.sessions.append(session)
                state.entries += roots.map(\.id)
            case .browsePicker(let listing): state.entries += listing.entries.map(\.id)
            case .searchPicker(let findings): state.entries += findings.entries.map(\.id)
            case .pickerEntry(let entry): state.entries.append(entry.id)
            case .bookmark(.create(let bookmark, _)): state.bookmarks.append(bookmark)
            case .transfers(.watch(let number)): state.watches.append(number)
            default: break
            }
        }
    }

    /// A request with what the host knows; bytes that are no request as they are. Nil for what would take the documents away
    /// from the inputs that follow.
    func adapt(_ body: [UInt8]) -> [UInt8]? {
        guard let call = try? ServiceCall(serialized: body) else { return body }
        if case .removeDomain = call { return nil }
        return state.withLock { $0.adapt(call) }?.serialized() ?? body
    }
}

extension HeldNumbers.State {
    /// Nil for what names nothing that the host gives.
    fileprivate func adapt(_ call: ServiceCall) -> ServiceCall? {
        switch call {
        case .endAccess(let number): .endAccess(known(number, accesses))
        case .flushAccess(let number): .flushAccess(known(number, accesses))
        case .awaitContents(let number, let range): .awaitContents(known(number, accesses), range)
        case .openAccessed(let number, let index, let part, let making):
            .openAccessed(known(number, accesses), number: index, part: part, making: making)
        case .beginAccess(let request): .beginAccess(adapt(request))
        case .browsePicker(let session, let folder, let page, let count, let refresh):
            .browsePicker(
                known(session, sessions), folder: known(folder), page: page, suggestedCount: count, refresh: refresh)
        case .makePickerFolder(let session, let folder, let name):
            .makePickerFolder(known(session, sessions), in: known(folder), name: name)
        case .choosePicker(let session, .entries(let entries)):
            .choosePicker(known(session, sessions), .entries(entries.map { known($0) }))
        case .choosePicker(let session, .target(let folder, let name, let replacing)):
            .choosePicker(known(session, sessions), .target(folder: known(folder), name: name, replacing: replacing))
        case .choosePicker(let session, .paths(let paths)): .choosePicker(known(session, sessions), .paths(paths))
        case .cancelPicker(let session): .cancelPicker(known(session, sessions))
        case .searchPicker(let session, let folder, let query, let page, let count):
            .searchPicker(
                known(session, sessions), below: known(folder), query, page: page, suggestedCount: count)
        case .thumbnails(.entries(let session, let entries, let size)):
            .thumbnails(.entries(known(session, sessions), entries.map { known($0) }, size: size))
        case .transfers(.nextEvents(let number)): .transfers(.nextEvents(known(number, watches)))
        case .transfers(.endWatch(let number)): .transfers(.endWatch(known(number, watches)))
        case .bookmark(let call): .bookmark(adapt(call))
        default: nil
        }
    }

    private func adapt(_ request: AccessRequest) -> AccessRequest {
        var request = request
        request.nestedIn = request.nestedIn.prefix(4).map { known($0, accesses) }
        if let bookmark = request.bookmark { request.bookmark = known(bookmark) }
        return request
    }

    private func adapt(_ call: BookmarkCall) -> BookmarkCall {
        switch call {
        case .create, .list, .revoke: return call
        case .resolve(let bookmark, let document): return .resolve(known(bookmark), document: document)
        case .start(let bookmark, let document): return .start(known(bookmark), document: document)
        case .stop(let bookmark): return .stop(known(bookmark))
        case .access(var access):
            access.bookmark = known(access.bookmark)
            access.nestedIn = access.nestedIn.prefix(4).map { known($0, accesses) }
            return .access(access)
        }
    }

    private func known(_ number: UInt64, _ numbers: [UInt64]) -> UInt64 {
        numbers.isEmpty ? number : numbers[Int(number % UInt64(numbers.count))]
    }

    private func known(_ entry: PickerEntryID) -> PickerEntryID {
        entries.isEmpty ? entry : entries[Int(entry.bytes.last ?? 0) % entries.count]
    }

    /// One that the host made, or, now and then, what the input says.
    private func known(_ bookmark: Bookmark) -> Bookmark {
        let last = Int(bookmark.bytes.last ?? 0)
        return bookmarks.isEmpty || last % 8 == 7 ? bookmark : bookmarks[last % bookmarks.count]
    }
}
