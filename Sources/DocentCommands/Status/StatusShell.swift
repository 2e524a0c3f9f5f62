import DocumentClient
import DocumentModel
import Glibc

/// The status screen at work: looks anew when something has happened, and every second only while something moves. When the
/// host is started anew it goes on with that one.
struct StatusShell: Sendable {
    private enum Message: Sendable {
        case input(TerminalScreen.Input)
        case event(StatusModel.Event)
        /// Something has happened, or a second has gone by.
        case stale
        case tick
        case ended(any Error)
    }

    let client: DocumentClient
    let screen: TerminalScreen
    /// Ends the process with an exit code, without waiting for anybody.
    let leave: @Sendable (Int32) -> Never

    private static let beat = Duration.seconds(1)

    func run() async throws {
        let (messages, feed) = AsyncStream.makeStream(of: Message.self)
        screen.read { feed.yield(.input($0)) }
        // Before the first look, so that nothing is missed between.
        let changes = try await client.changes()
        // It keeps nothing of the looks that are over, however many there are.
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    for try await _ in changes { feed.yield(.stale) }
                } catch {
                    feed.yield(.ended(error))
                }
            }
            var model = StatusModel(size: screen.size)
            let renderer = StatusRenderer(glyphs: screen.glyphs)
            var shown: Screen?
            var (isLooking, isStale, isTicking) = (false, false, false)
            func look() {
                isStale = isLooking
                guard !isLooking else { return }
                isLooking = true
                group.addTask { feed.yield(.event(await told(by: changes.client))) }
            }
            func draw() {
                let next = renderer.screen(model)
                if shown != next { screen.draw(next, over: shown) }
                shown = next
            }
            look()
            draw()
            for await message in messages {
                switch message {
                case .stale: look()
                case .tick:
                    isTicking = false
                    look()
                case .event(let event):
                    isLooking = false
                    if model.handle(event) { return }
                    if isStale { look() }
                case .input(.key(let key)): if model.handle(.key(key)) { return }
                case .input(.resized(let size)):
                    _ = model.handle(.resized(size))
                    shown = nil
                case .input(.mustRedraw): shown = nil
                case .input(.signal(let number)): leave(128 + number)
                case .input(.gone): leave(128 + SIGHUP)
                case .ended(let error): throw error
                }
                if model.isMoving, !isTicking {
                    isTicking = true
                    group.addTask {
                        try? await Task.sleep(for: Self.beat)
                        feed.yield(.tick)
                    }
                }
                draw()
            }
        }
    }

    private func told(by client: DocumentClient) async -> StatusModel.Event {
        do throws(DocumentError) {
            return .told(try await client.status(), try await client.coordinationStatus())
        } catch {
            return .failed(error.message)
        }
    }
}
