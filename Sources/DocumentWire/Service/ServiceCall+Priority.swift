extension ServiceCall {
    /// Whether it ends something and waits for nobody: it may take the places that are kept for that.
    package var isEnding: Bool {
        switch self {
        case .endAccess, .endWrite, .flushAccess, .cancelCoordinator, .cancelPicker, .bookmark(.stop),
            .transfers(.endWatch):
            true
        default: false
        }
    }
}
