package import DocumentModel

/// Transfers as people read them.
package enum TransferText {
    /// `42 % (4.2 MB of 10 MB), 1.1 MB/s, 6 s left`, or what it waits for.
    package static func line(_ transfer: TransferStatus) -> String {
        var parts: [String] = []
        if transfer.isUnderWay || transfer.done > 0 { parts.append(amount(transfer)) }
        if let wait = transfer.wait { parts.append("waits \(words(wait, transfer.retryIn))") }
        if let speed = transfer.bytesPerSecond { parts.append("\(Words.size(speed))/s") }
        if let time = transfer.timeLeft { parts.append("\(duration(time)) left") }
        return parts.joined(separator: ", ")
    }

    private static func amount(_ transfer: TransferStatus) -> String {
        guard let expected = transfer.expected, expected > 0, let percent = transfer.percent else {
            return Words.size(transfer.done)
        }
        return "\(percent) % (\(Words.size(transfer.done)) of \(Words.size(expected)))"
    }

    /// What a transfer waits for, behind “waits”.
    package static func words(_ wait: TransferWait, _ retryIn: Duration? = nil) -> String {
        switch wait {
        case .turn: "for its turn"
        case .resume: "until it is resumed"
        case .inclusion: "until it is included in sync again"
        case .use: "until nobody uses it"
        case .retry: retryIn.map { "to be tried again in \(duration($0))" } ?? "to be tried again"
        case .remote: "until the remote can be reached"
        case .signIn: "until you sign in"
        case .remoteSpace: "for room on the remote"
        case .localSpace: "for room on this disk"
        case .choice: "until you choose"
        case .provider: "for its provider"
        case .request: "until somebody asks for it"
        case .change: "until something changes: as it is, it cannot be done"
        }
    }

    /// `2 under way, 5 waiting, 1 failed, 12 MB left, 1.1 MB/s, 11 s`.
    package static func line(_ summary: TransferSummary) -> String {
        var parts: [String] = []
        if summary.underWay > 0 { parts.append("\(summary.underWay) under way") }
        if summary.waiting > 0 { parts.append("\(summary.waiting) waiting") }
        if summary.failed > 0 { parts.append("\(summary.failed) failed") }
        if summary.bytesLeft > 0 { parts.append("\(Words.size(summary.bytesLeft)) to go") }
        if let speed = summary.bytesPerSecond { parts.append("\(Words.size(speed))/s") }
        if let time = summary.timeLeft { parts.append("\(duration(time)) left") }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }

    /// `5 s`, `3 min 20 s`, `2 h 5 min`.
    package static func duration(_ time: Duration) -> String {
        let seconds = max(0, time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<600: return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
        case ..<3_600: return "\(seconds / 60) min"
        case ..<172_800:
            let minutes = seconds % 3_600 / 60
            return minutes == 0 ? "\(seconds / 3_600) h" : "\(seconds / 3_600) h \(minutes) min"
        default: return "\(seconds / 86_400) days"
        }
    }

    /// What people have said about an item, with a name each.
    package static func marks(_ marks: ItemMarks) -> [(name: String, text: String)] {
        var lines: [(String, String)] = []
        let around = marks.own == nil ? ", as a folder around it" : ""
        switch marks.keeping {
        case .automatic: if marks.own != nil { lines.append(("Kept", "as long as there is room")) }
        case .whileCurrent:
            lines.append(("Kept", "as long as there is room and the remote has nothing newer\(around)"))
        case .pinned: lines.append(("Kept", "always\(around)"))
        case .onlineOnly: lines.append(("Kept", "no longer than it is used\(around)"))
        case .excluded where marks.ignoredBy != nil:
            lines.append(("Kept", "here and not sent\(marks.ignoredBy.map { ", by the ignore rule “\($0)”" } ?? "")"))
        case .excluded: lines.append(("Kept", "excluded from sync\(around)"))
        }
        if marks.isPaused { lines.append(("Paused", marks.isPausedItself ? "yes" : "with a folder around it")) }
        return lines
    }
}
