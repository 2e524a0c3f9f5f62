internal import DocumentModel
internal import DocumentTransport
internal import SystemPackage

/// Puts what is known of a provider's failure into words: facts first, then what was seen on its pipes, then what it
/// said itself.
struct ProviderFailure: Sendable {
    let bundle: ProviderBundle
    let domain: DomainName

    /// `Photos (org.example.photos)`
    static func name(of manifest: Manifest) -> String { "\(manifest.name) (\(manifest.identifier))" }

    private var name: String { Self.name(of: bundle.manifest) }

    private var advice: String { "“docent provider show \(bundle.manifest.identifier) --last-failure” says more." }

    /// It did not get through the handshake.
    ///
    /// - Parameters:
    ///   - cause: what the handshake failed with.
    ///   - exit: nil when there never was a process.
    ///   - evidence: what it printed instead of frames.
    func ofStart(_ cause: DocumentError, exit: ProcessExit?, evidence: FrameViolation?) -> DocumentError {
        guard let exit else { return cause }
        // A provider that says what is wrong and ends in order has said it best.
        if exit.status == .exited(0), !exit.wasForced, evidence == nil,
            ![.providerDied, .unimplemented].contains(cause.code)
        {
            var own = cause
            own.detail = detail(cause, exit: exit, evidence: nil)
            return own
        }
        let message: String
        if let words = trampolineWords(exit) {
            message = "The provider \(name) could not be started: \(words). \(advice)"
        } else if !exit.wasForced {
            message =
                "The provider \(name) could not be started: \(exit.words) before the handshake was done. \(advice)"
        } else {
            message = "The provider \(name) could not be started: it did not get through the handshake. \(advice)"
        }
        return DocumentError(
            .providerUnavailable, message, detail: detail(cause, exit: exit, evidence: evidence),
            causes: causes(cause, exit: exit, evidence: evidence))
    }

    /// It ended, or had to be ended, while it served.
    func ofLife(_ cause: DocumentError?, exit: ProcessExit, evidence: FrameViolation?) -> DocumentError {
        let subject = "The provider \(name) of the domain “\(domain)”"
        // What it was ended for comes before how it ended.
        if let cause, cause.code == .protocolViolation {
            let deed =
                evidence?.looksLikeText == true
                ? "printed text to standard output, which carries the protocol," : "broke the protocol"
            return DocumentError(
                cause.code, "\(subject) \(deed) and was ended: tell its author. \(advice)",
                detail: detail(cause, exit: exit, evidence: evidence),
                causes: causes(cause, exit: exit, evidence: evidence))
        }
        let what = exit.wasForced ? "could not go on and was ended" : "ended unexpectedly: \(exit.words)"
        return DocumentError(
            .providerDied, "\(subject) \(what).",
            detail: detail(cause, exit: exit, evidence: evidence),
            causes: causes(exit.wasForced || evidence != nil ? cause : nil, exit: exit, evidence: evidence))
    }

    private func causes(_ cause: DocumentError?, exit: ProcessExit, evidence: FrameViolation?) -> [String] {
        var causes: [String] = []
        if let evidence, !evidence.bytes.isEmpty {
            causes.append(words(for: evidence))
        }
        if let cause { causes += [cause.message] + cause.causes }
        if let line = exit.lastWords.last { causes.append("Its last words were “\(line)”.") }
        return causes
    }

    private func words(for evidence: FrameViolation) -> String {
        guard evidence.looksLikeText else {
            let start = FrameViolation("", offset: 0, bytes: evidence.bytes.prefix(16)).hex
            return "From byte \(evidence.offset) on it sent \(start)\(evidence.bytes.count > 16 ? " …" : "")."
        }
        let place = evidence.offset == 0 ? "Instead of the protocol it sent" : "At byte \(evidence.offset) it sent"
        return "\(place) “\(evidence.text)”; only frames may go to a provider's standard output."
    }

    private func detail(_ cause: DocumentError?, exit: ProcessExit, evidence: FrameViolation?) -> String {
        var lines = [program, exit.words]
        if evidence == nil, let cause, !cause.detail.isEmpty { lines.append(cause.detail) }
        if let evidence {
            lines.append("standard output, byte \(evidence.offset): \(evidence.message) \(evidence.hex)")
        }
        if !exit.detail.isEmpty { lines.append(exit.detail) }
        return lines.joined(separator: "\n")
    }

    /// `/usr/lib/photos/provider, owner 0, mode 755, a program for x86_64`
    private var program: String {
        let path = bundle.executable
        guard let stat = try? path.stat() else { return "\(path), which cannot be examined" }
        let mode = String(stat.permissions.rawValue, radix: 8)
        return "\(path), owner \(stat.userID.rawValue), mode \(mode), \(ELFImage.words(for: path))"
    }

    /// What the trampoline says when it cannot start the program.
    private func trampolineWords(_ exit: ProcessExit) -> String? {
        let prefix = LaunchContext.trampolineName + ": "
        guard case .exited(125...127) = exit.status,
            let line = exit.lastWords.last(where: { $0.hasPrefix(prefix) })
        else { return nil }
        return String(line.dropFirst(prefix.count))
    }
}
