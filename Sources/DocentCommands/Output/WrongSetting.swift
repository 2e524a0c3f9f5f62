import DocumentModel

/// A mistake in what the user has written down: whoever tries again finds it again, until it is mended.
struct WrongSetting: Error {
    /// `EX_CONFIG` of sysexits.h: a service manager knows by it that another try is of no use.
    static let code: Int32 = 78

    let error: DocumentError
}
