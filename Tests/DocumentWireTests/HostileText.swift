import Testing

/// Text that a test's log should not show as it is.
struct HostileText: Sendable, CustomTestStringConvertible {
    let text: String

    var testDescription: String { text.utf8.count > 40 ? "\(text.utf8.count) bytes" : text.debugDescription }
}
