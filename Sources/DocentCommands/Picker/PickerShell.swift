import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// The picker at work: its model, the terminal and the session, brought together. What takes time runs beside the
/// terminal, which stays answering.
struct PickerShell: Sendable {
    private enum Message: Sendable {
        case input(TerminalScreen.Input)
        case event(PickerModel.Event)
        case finished(Result<[PickedDocument], any Error>)
    }

    let session: PickerSession
    let client: DocumentClient
    let screen: TerminalScreen
    /// Where the copy of an import goes.
    let destination: @Sendable (ItemName) -> FilePath
    /// Ends the process with an exit code, without waiting for anybody: who presses Escape because a provider does not
    /// answer must not wait for its answer. The session ends with the connection.
    let leave: @Sendable (Int32) -> Never

    /// How often something that moves is drawn.
    private static let beat = Duration.milliseconds(120)

    func run(originalName: String?) async throws -> [PickedDocument] {
        let (messages, feed) = AsyncStream.makeStream(of: Message.self)
        screen.read { feed.yield(.input($0)) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var model = PickerModel(
                mode: session.request.mode, originalName: originalName,
                allowsSeveral: session.request.allowsSeveral, roots: session.roots, size: screen.size)
            let renderer = PickerRenderer(glyphs: screen.glyphs)
            var shown: Screen?
            var isTicking = false
            for action in model.begin() { perform(action, feed, &group) }
            func draw() {
                let next = renderer.screen(model)
                if shown != next { screen.draw(next, over: shown) }
                shown = next
            }
            draw()
            for await message in messages {
                var actions: [PickerModel.Action] = []
                switch message {
                case .finished(let result): return try result.get()
                case .event(let event):
                    if case .tick = event { isTicking = false }
                    actions = model.handle(event)
                case .input(.key(let key)): actions = model.handle(.key(key))
                case .input(.resized(let size)):
                    actions = model.handle(.resized(size))
                    shown = nil
                case .input(.mustRedraw): shown = nil
                case .input(.signal(let number)): leave(128 + number)
                case .input(.gone): leave(128 + SIGHUP)
                }
                if actions.contains(.cancel) { leave(1) }
                for action in actions { perform(action, feed, &group) }
                if !isTicking, model.level.isLoading || model.work != nil {
                    isTicking = true
                    group.addTask {
                        try? await Task.sleep(for: Self.beat)
                        feed.yield(.event(.tick))
                    }
                }
                draw()
            }
            throw CancellationError()
        }
    }

    private func perform(
        _ action: PickerModel.Action, _ feed: AsyncStream<Message>.Continuation,
        _ group: inout ThrowingTaskGroup<Void, any Error>
    ) {
        group.addTask {
            switch action {
            case .list(let folder, let page, let refresh): feed.yield(.event(await list(folder, page, refresh)))
            case .listSoon(let folder):
                try? await Task.sleep(for: .milliseconds(150))
                feed.yield(.event(await list(folder, nil, false)))
            case .search(let search, let page): feed.yield(.event(await find(search, page)))
            case .makeFolder(let name, let parent):
                do throws(DocumentError) {
                    let entry = try await session.makeFolder(named: name, in: parent)
                    feed.yield(.event(.madeFolder(entry, in: parent)))
                } catch {
                    feed.yield(.event(.refused(error.message)))
                }
            case .choose(let entries, let replacing):
                feed.yield(await choose(entries, replacing) { feed.yield(.event(.progress($0))) })
            case .put(let name, let folder, let replacing):
                feed.yield(await put(name, folder, replacing) { feed.yield(.event(.progress($0))) })
            case .cancel: break
            }
        }
    }

    private func list(_ folder: PickerEntryID, _ page: PageToken?, _ refresh: Bool) async -> PickerModel.Event {
        do throws(DocumentError) {
            let listing = try await session.listing(of: folder, after: page, refresh: refresh)
            return .listed(folder, listing, isFirst: page == nil)
        } catch {
            return .notListed(folder, error.message)
        }
    }

    private func find(_ search: PickerLevel.Search, _ page: PageToken?) async -> PickerModel.Event {
        do throws(DocumentError) {
            let findings = try await session.search(for: search.query, below: search.folder, after: page)
            return .found(search, findings, isFirst: page == nil)
        } catch {
            return .notFound(search, error.message)
        }
    }

    private func choose(
        _ entries: [PickerEntry], _ replacing: Bool, _ progress: @escaping DocumentClient.ProgressHandler
    ) async -> Message {
        // With several, one answer would not do for all that are there.
        let name = entries.count == 1 ? entries[0].status.item.name : nil
        do {
            if session.request.mode == .import {
                let copies = entries.compactMap { entry in
                    entry.status.item.name.map { (entry.id, destination($0)) }
                }
                return .finished(
                    .success(try await session.importDocuments(copies, replacing: replacing, progress: progress)))
            }
            let picked = try await session.open(entries.map(\.id))
            return .finished(
                await Result.catching {
                    for document in picked { try await bring(document, progress) }
                    return picked
                })
        } catch {
            return await failed(error, name)
        }
    }

    /// Whoever asked for a path wants to find something there.
    private func bring(
        _ picked: PickedDocument, _ progress: @escaping DocumentClient.ProgressHandler
    ) async throws {
        guard picked.status.item.kind == .document else { return }
        try await client.coordinate(readingItemAt: picked.location, progress: progress) { _, _ in }
    }

    private func put(
        _ name: ItemName, _ folder: PickerEntryID, _ replacing: Bool,
        _ progress: @escaping DocumentClient.ProgressHandler
    ) async -> Message {
        do throws(DocumentError) {
            return .finished(
                .success([try await session.put(as: name, in: folder, replacing: replacing, progress: progress)]))
        } catch {
            return await failed(error, name)
        }
    }

    /// A refused choice is told, and one goes on; with a session that is over, so is the picker.
    private func failed(_ error: any Error, _ name: ItemName?) async -> Message {
        guard let error = error as? DocumentError, error.code != .cancelled, await !isOver() else {
            return .finished(.failure(error))
        }
        if error.code == .destinationExists, let name { return .event(.exists(name.rawValue)) }
        return .event(.refused(error.message))
    }

    private func isOver() async -> Bool {
        guard let root = session.roots.first else { return true }
        do throws(DocumentError) {
            _ = try await session.listing(of: root.id, suggestedCount: 1)
            return false
        } catch {
            return error.code == .invalidArgument || error.code == .hostUnavailable || error.code == .cancelled
        }
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Result {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
