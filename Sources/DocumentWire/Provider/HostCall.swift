package import DocumentModel

/// What a provider asks the host: the checked form of `docent.provider.v1.HostRequest`.
package enum HostCall: Hashable, Sendable {
    case writePlaceholder(Item)
    case prompt(Prompt)
    case loadSecret(String)
    /// Empty: nothing is kept any more.
    case storeSecret(String, [UInt8])
}

/// What the host answers: the checked form of `docent.provider.v1.HostAnswer`.
package enum HostReply: Hashable, Sendable {
    case writePlaceholder
    case prompt([String: String])
    /// Nil when nothing is kept.
    case loadSecret([UInt8]?)
    case storeSecret
}

/// What a provider tells the host unasked: the checked form of `docent.provider.v1.ProviderNotification`.
package enum ProviderEvent: Hashable, Sendable {
    case changesAvailable
    /// Empty: all codes are resolved.
    case errorResolved([DocumentError.Code])
    /// Empty: there is nothing to know of the domain.
    case note(DomainNote)
    case log(level: LogLevel, message: String, metadata: [String: String])

    package enum LogLevel: String, Hashable, Sendable {
        case debug, info, warning, error
    }
}
