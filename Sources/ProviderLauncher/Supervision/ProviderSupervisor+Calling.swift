package import DocumentModel
internal import DocumentTransport
package import DocumentWire
internal import Glibc
internal import Logging
internal import Synchronization

extension ProviderSupervisor: ProviderCalling {
    package var provider: String {
        "The provider \(ProviderFailure.name(of: core.withLock { $0.configuration.bundle.manifest }))"
    }

    /// Starts the provider when it does not run. A call that may be repeated is asked once more when the provider dies
    /// over it.
    package func call(
        _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) -> ProviderReply {
        try await self.call(call, isForSignIn: false, onProgress: onProgress)
    }

    /// - Parameter isForSignIn: whether somebody may have to answer prompts before the provider can answer.
    package func call(
        _ call: ProviderCall, isForSignIn: Bool, onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) -> ProviderReply {
        do {
            return try await attempt(call, isForSignIn, onProgress)
        } catch {
            guard error.code == .providerDied, call.mayBeRepeated, !Task.isCancelled else { throw error }
            return try await attempt(call, isForSignIn, onProgress)
        }
    }

    /// Whether its manifest says that it can do it.
    package func declares(_ capability: ProviderCapability) -> Bool {
        core.withLock { $0.configuration.bundle.manifest.capabilities.contains(capability) }
    }

    private func attempt(
        _ call: ProviderCall, _ isForSignIn: Bool, _ onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> ProviderReply {
        let manifest = core.withLock { $0.configuration.bundle.manifest }
        let provider = "The provider \(ProviderFailure.name(of: manifest))"
        return try await withProvider { live throws(DocumentError) in
            if let capability = call.capability, !live.capabilities.contains(capability) {
                throw DocumentError(.notPermitted, "\(provider) \(capability.denial).")
            }
            let body: [UInt8]
            do throws(DocumentError) {
                body = try await live.connection.request(
                    call.serialized(),
                    deadline: call.deadline(manifest.deadlines, isForSignIn: isForSignIn),
                    bytesElsewhere: call.bytesOnDisk,
                    onProgress: onProgress)
            } catch {
                if error.code == .providerDied { foundDead(live.connection) }
                // Where it is the end of the connection, the life's own record tells of it.
                if !live.connection.hasEnded { noteBroken(error) }
                throw error
            }
            do throws(DocumentError) {
                let reply = try ProviderReply(serialized: body, to: call, of: provider)
                guard reply.fits(call) else {
                    throw DocumentError(
                        .protocolViolation,
                        "\(provider) was asked `\(CallName.of(call))` and answered with `\(CallName.of(reply))`. \(ProviderReply.advice)"
                    )
                }
                try reply.checkSize(asAnswerTo: call, of: provider)
                return reply
            } catch {
                context.logger.error("\(error.message)", metadata: metadata())
                noteBroken(error)
                throw error
            }
        }
    }
}

extension ProviderCapability {
    fileprivate var denial: String {
        switch self {
        case .modifying: "does not allow changes"
        case .changes: "has no feed of changes"
        case .ranges: "gives no parts of documents"
        case .picker: "has no part in picker sessions"
        case .signIn: "asks nobody anything"
        case .thumbnails: "gives no thumbnails"
        case .versions: "keeps no versions"
        case .quota: "does not tell how much room there is"
        }
    }
}

extension ProviderCall {
    /// What a provider must be able to do to be asked this.
    var capability: ProviderCapability? {
        switch self {
        case .create, .modify, .delete: .modifying
        case .currentAnchor, .changesSince: .changes
        case .provideRange: .ranges
        case .preparePicker, .validateChoice, .endPicker: .picker
        case .thumbnails: .thumbnails
        case .listVersions, .provideVersion, .keepVersion, .removeVersion: .versions
        case .quota: .quota
        default: nil
        }
    }

    /// Whether asking twice is the same as asking once, whatever became of the first time. Not for what fills a staging
    /// file, which has to be empty, nor for changes, which begin from a version.
    var mayBeRepeated: Bool {
        switch self {
        case .startProviding, .provideRange, .create, .modify, .delete, .provideVersion, .keepVersion: false
        default: true
        }
    }

    /// How large the file is that it fills: a provider that fills it gets somewhere, also when it does not say so.
    var bytesOnDisk: (@Sendable () -> UInt64)? {
        let path: String
        switch self {
        case .startProviding(_, let file, _): path = file
        case .provideRange(let call): path = call.stagingPath
        case .provideVersion(let call): path = call.stagingPath
        default: return nil
        }
        return {
            var status = stat()
            return stat(path, &status) == 0 ? UInt64(clamping: status.st_blocks) &+ UInt64(clamping: status.st_size) : 0
        }
    }

    /// - Parameter isForSignIn: whether somebody may have to answer prompts before the provider can answer.
    func deadline(_ deadlines: Manifest.Deadlines, isForSignIn: Bool = false) -> Deadline {
        // However long people take: who signs in can always cancel.
        if isForSignIn { return .stall(deadlines.signIn) }
        return switch self {
        case .startProviding, .provideRange, .thumbnails, .provideVersion, .keepVersion: .stall(deadlines.contents)
        case .create(let call): .stall(call.contentsPath == nil ? deadlines.mutation : deadlines.contents)
        case .modify(let call): .stall(call.contentsPath == nil ? deadlines.mutation : deadlines.contents)
        case .delete, .removeVersion: .stall(deadlines.mutation)
        default: .total(deadlines.metadata)
        }
    }
}
