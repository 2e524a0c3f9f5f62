package import DocumentClient
package import DocumentModel

/// What the status screen shows, and what keys do to it. Pure.
package struct StatusModel: Sendable {
    package enum Event: Sendable {
        case key(Key)
        case resized(TerminalSize)
        case told(StorageStatus, CoordinationStatus)
        /// It could not be looked up.
        case failed(String)
    }

    package private(set) var size: TerminalSize
    /// The first line that is shown.
    package private(set) var top = 0
    package private(set) var lines: [String] = []
    package private(set) var summary = ""
    package private(set) var problem: String?
    /// Whether it changes without anything happening: bytes flow, or somebody waits.
    package private(set) var isMoving = false

    package init(size: TerminalSize) {
        self.size = size
    }

    /// Beside the title and the help.
    package var room: Int { max(1, size.rows - 2) }

    /// - Returns: whether that was the end.
    package mutating func handle(_ event: Event) -> Bool {
        switch event {
        case .told(let status, let coordination):
            let text = StatusListing.text(status) + CoordinationListing.text(coordination)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            while lines.last?.isEmpty == true { lines.removeLast() }
            summary = status.transfers.isEmpty ? "" : TransferText.line(status.transfers)
            isMoving =
                status.transfers.underWay > 0 || !coordination.waits.isEmpty || !coordination.holdings.isEmpty
                || status.items.contains {
                    $0.transfers.upload?.retryIn != nil || $0.transfers.download?.retryIn != nil
                }
                || status.domains.contains { $0.domain.restartDelay != nil }
            problem = nil
        case .failed(let message): problem = message
        case .resized(let size): self.size = size
        case .key(let key): if press(key) { return true }
        }
        top = min(max(top, 0), max(0, lines.count - room))
        return false
    }

    private mutating func press(_ key: Key) -> Bool {
        switch key {
        case .escape, .character("q"), .control("c"), .control("d"): return true
        case .up, .character("k"): top -= 1
        case .down, .character("j"): top += 1
        case .pageUp: top -= room
        case .pageDown, .character(" "): top += room
        case .home: top = 0
        case .end: top = lines.count
        default: break
        }
        return false
    }
}
