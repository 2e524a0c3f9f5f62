package import DocumentModel

/// What the host asks a host tool: the checked form of `docent.service.v1.ToolRequest`.
package enum ToolCall: Hashable, Sendable {
    /// A message to one of the tool's presenters, by the number that the tool gave it.
    case tellPresenter(UInt64, message: UInt64, PresenterMessage)
    /// What a provider wants to know of whoever signs in to the domain.
    case ask(DomainName, provider: String, Prompt)
}

/// What the host tells a host tool without being asked: the checked form of `docent.service.v1.ToolNotification`.
package enum ToolEvent: Hashable, Sendable {
    /// One of the tool's accesses was part of a deadlock, and another one was refused.
    case deadlock(String)
    /// A presenter did not answer in time, and gets no more messages.
    case droppedPresenter(UInt64, reason: String)
}
