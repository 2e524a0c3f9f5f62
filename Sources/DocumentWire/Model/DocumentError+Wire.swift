package import DocumentModel

extension DocumentError {
    /// The error that a peer sent, its texts bounded and fit for a terminal (PROV-14). A code that is not known is
    /// kept as it came, and counts as transient.
    package init(_ wire: WireFailure) {
        let code = wire.code.rawValue == 0 ? Code.internal : Code(rawValue: wire.code.rawValue)
        let message = Checks.displayable(wire.message, limit: 4096)
        self.init(
            code,
            message.isEmpty ? "\(Self.silence) (\(code))." : message,
            detail: Checks.displayable(wire.detail, limit: 16384),
            retryAfter: wire.retryAfterMs == 0 ? nil : .milliseconds(wire.retryAfterMs),
            causes: wire.causes.prefix(16).map { Checks.displayable($0, limit: 4096) },
            // An item that cannot be one only costs the hint, not the error.
            itemID: try? ItemIdentifier(wire.itemID)
        )
    }

    /// What stands in the place of a message that the peer did not send.
    private static let silence = "The other side failed and did not say why"

    /// Whether a peer sent it without a message.
    package var isWordless: Bool { message.hasPrefix(Self.silence) }
}

extension WireFailure {
    package init(_ error: DocumentError) {
        self.init()
        let number = Int32(exactly: error.code.rawValue) ?? 0
        code =
            (number == 0 ? nil : WireCode(rawValue: Int(number))) ?? .internal
        message = error.message
        detail = error.detail
        retryAfterMs = error.retryAfter.map(Self.milliseconds) ?? 0
        causes = error.causes
        itemID = error.itemID?.rawValue ?? ""
    }

    /// Rounded up, so that a short wait does not become “no opinion”.
    private static func milliseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 1 }
        guard seconds < 4_294_968 else { return .max }
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt32(clamping: max(1, seconds * 1000 + rest))
    }
}

extension TransferProgress {
    package init(_ wire: WireProgress) {
        self.init(done: wire.bytesDone, expected: wire.bytesExpected == 0 ? nil : wire.bytesExpected)
    }
}

extension WireProgress {
    package init(_ progress: TransferProgress) {
        self.init()
        bytesDone = progress.done
        bytesExpected = progress.expected ?? 0
    }
}
