import DocumentModel

extension HostAttack {
    /// What a caller may be told when the provider is at fault, or gone.
    static let broken: [DocumentError.Code] = [
        .contractBroken, .protocolViolation, .frameTooLarge, .deadlineExceeded, .providerDied, .providerUnavailable,
        .unimplemented,
    ]
}
