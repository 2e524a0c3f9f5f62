public import DocumentModel
internal import DocumentTransport
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// The open file of a document of the innermost access that the running closure is inside of, for tools that are kept from
    /// the documents' paths (PICK-21, BOOK-5). The host opens it; it comes over the socket.
    ///
    /// ```swift
    /// try await coordinator.coordinate(readingItemAt: location) { _, _ in
    ///     let file = try await client.openAccessed()
    ///     defer { try? file.close() }
    ///     …
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - number: which of the access's documents; 0 is the first.
    ///   - part: of a package, the names that lead to the file in it; else empty.
    ///   - making: of a package that is written: make the file when there is none.
    /// - Returns: a file to read, and where the access is for writing contents, to write. The caller closes it, before the
    ///   closure returns: what is done with it later is not coordinated.
    /// - Throws: `invalidArgument` outside of an access, or for what is no file; `noSuchItem` when the contents are not here.
    public func openAccessed(
        _ number: Int = 0, part: [ItemName] = [], making: Bool = false
    ) async throws(DocumentError) -> FileDescriptor {
        guard let access = innermostAccess else {
            throw DocumentError(
                .invalidArgument, "A document is opened inside of an access to it: coordinate a read or a write first.")
        }
        return try await open(access: access, number, part: part, making: making)
    }

    func open(
        access: UInt64, _ number: Int = 0, part: [ItemName] = [], making: Bool = false
    ) async throws(DocumentError) -> FileDescriptor {
        let call = ServiceCall.openAccessed(access, number: number, part: part, making: making)
        let (answer, descriptor) = try await connection.requestPassing(
            call.serialized(nestedIn: enclosing.map(\.access)), deadline: .none, priority: priority(of: call))
        guard case .done = try ServiceReply(serialized: answer), let descriptor else { throw Self.unexpectedAnswer }
        return FileDescriptor(rawValue: descriptor.take())
    }
}
