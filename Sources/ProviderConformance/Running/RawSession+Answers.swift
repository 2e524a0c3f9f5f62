import DocumentModel
package import DocumentWire
package import ProviderLauncher

/// Requests whose answers are counted.
extension RawSession {
    /// The final frames of several requests. Requests of the provider are answered meanwhile.
    ///
    /// - Parameter last: an odd id above all others, for a request behind which nothing more may come.
    /// - Throws: ``CheckFailure`` when one of them is missing or comes twice.
    package func finalFrames(of ids: Set<UInt64>, last: UInt64 = 1_000_001) async throws -> [UInt64: Frame] {
        var finals: [UInt64: Frame] = [:]
        while finals.count < ids.count { try await take(try await frame(), ids, &finals) }
        // What is answered twice has come before the answer to what is asked now.
        try await send(Frame(id: last, .request(body: ProviderCall.identity.serialized(), deadline: 0)))
        while finals[last] == nil { try await take(try await frame(), ids.union([last]), &finals) }
        finals[last] = nil
        return finals
    }

    /// Shows that the provider still answers.
    package func expectAlive(_ id: UInt64 = 2_000_001) async throws {
        try await send(Frame(id: id, .request(body: ProviderCall.identity.serialized(), deadline: 0)))
        guard case .answer = try await finalFrame(of: id).kind else {
            throw CheckFailure("The provider does not answer any more as it should.")
        }
    }

    /// Shows that the provider ends, and not by a signal.
    ///
    /// - Parameter limit: how long it may take.
    package func expectGone(_ why: String, within limit: Duration = .seconds(5)) async throws {
        guard try await exits(within: limit) else { throw CheckFailure("The provider stays when \(why).") }
    }

    private func take(_ frame: Frame, _ ids: Set<UInt64>, _ finals: inout [UInt64: Frame]) async throws {
        switch frame.kind {
        case .answer, .failure:
            guard ids.contains(frame.id) else {
                throw CheckFailure("The provider answers a request that was never made.", detail: frame.evidence)
            }
            guard finals.updateValue(frame, forKey: frame.id) == nil else {
                throw CheckFailure("A request is answered twice.", detail: frame.evidence)
            }
        case .request(let body, _, _, _):
            let answer: Frame.Kind =
                (try? HostCall(serialized: body)) != nil
                ? .answer(body: HostReply.writePlaceholder.serialized())
                : .failure(DocumentError(.unimplemented, "This host does not know the request."))
            try await send(Frame(id: frame.id, answer))
        default: break
        }
    }
}

extension CheckFailure {
    /// A provider that was ended by a signal has crashed.
    package static func check(_ status: ProcessExit.Status, _ why: String) throws {
        if case .signalled(let number) = status, number != 15, number != 9 {
            throw CheckFailure("The provider crashes when \(why).", detail: "It was ended by signal \(number).")
        }
    }
}
