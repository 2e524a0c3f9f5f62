import DocumentModel
import DocumentTransport
import DocumentWire

/// Answers the host's requests with what the provider returns or throws: exactly once, whatever happens.
struct ProviderServer<P: Provider>: RequestHandler {
    let provider: OpenedProvider<P>

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        let state = Transfer.State()
        let transfer = Transfer(state: state) { progress in
            if let progress { request.report(progress) } else { request.heartbeat() }
        }
        guard let label = request.label else { return try await answer(body, transfer, state) }
        return try await HostLogHandler.$requestLabel.withValue(label.text) {
            try await answer(body, transfer, state)
        }
    }

    private func answer(
        _ body: [UInt8], _ transfer: Transfer, _ state: Transfer.State
    ) async throws -> [UInt8] {
        let call = try Self.call(body)
        return try await withTaskCancellationHandler {
            do {
                let reply = try await provider.reply(to: call, transfer: transfer)
                guard reply.fits(call) else {
                    throw DocumentError(.internal, "The provider's answer is not of the kind that was asked for.")
                }
                return reply.serialized()
            } catch {
                throw presentable(error)
            }
        } onCancel: {
            state.cancel()
        }
    }

    /// Reads a request. What only a host may say of bytes that are none (`protocolViolation`) a provider says in
    /// another way.
    private static func call(_ body: [UInt8]) throws(DocumentError) -> ProviderCall {
        do {
            return try ProviderCall(serialized: body)
        } catch {
            guard error.code.isReservedForHost else { throw error }
            throw DocumentError(.invalidArgument, error.message, detail: error.detail)
        }
    }

    /// What a provider threw, as the host gets it.
    func presentable(_ error: any Error) -> any Error {
        error is CancellationError
            ? error : DocumentError(thrown: error, by: "The provider “\(provider.identifier)”")
    }
}
