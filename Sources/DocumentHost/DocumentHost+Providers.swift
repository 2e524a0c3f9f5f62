public import DocumentModel
import DocumentStorage
import ProviderLauncher
import SystemPackage

extension DocumentHost {
    /// How long the end of a provider that is under way is waited for, until what is known of it is kept.
    private static let endingPatience = Duration.seconds(10)

    /// What is known of the last time that a provider failed. Waits for an end that is under way.
    ///
    /// - Parameter domain: nil for whichever domain of the provider failed last, those included that could not be added.
    /// - Returns: the record as JSON and the file that it is kept in; nil when none is kept.
    /// - Throws: `notConfigured` for a provider that is not installed, or a domain that is not its own.
    public func lastFailure(
        of id: ProviderIdentifier, domain: DomainName?
    ) async throws(DocumentError) -> (record: String, path: String)? {
        let names = try await domainNames(of: id, domain)
        let supervisors = names.compactMap { domains.find($0)?.supervisor }
        await withDiscardingTaskGroup { group in
            for supervisor in supervisors {
                group.addTask { await supervisor.waitWhileDying(atMost: Self.endingPatience) }
            }
        }
        let found = await providerRecords.lastFailure(of: names, and: domain == nil ? id : nil)
        guard let found else { return nil }
        return (found.text, found.path.string)
    }

    /// Forgets a provider's past deaths and looks at its bundle anew. What runs is ended in good order; the next use
    /// starts it.
    ///
    /// - Parameter domain: nil for all domains of the provider.
    /// - Throws: `notConfigured` for a provider that is not installed or cannot be used, or a domain that is not its own.
    public func restartProvider(_ id: ProviderIdentifier, domain: DomainName?) async throws(DocumentError) {
        let bundle = try await catalogue().bundle(id)
        for name in try await domainNames(of: id, domain) {
            // Not while somebody signs in or out.
            try await domainLocks.withLock(name) { () async throws(DocumentError) in
                guard let running = domains.find(name) else {
                    // It could not be used when the host started.
                    if let record = try storage.read({ try $0.domain(name) }) { open(record, try await catalogue()) }
                    guard domains.find(name) != nil else { return }
                    events.domainChanged(name)
                    // What was begun before that start waits for it.
                    resolved(name)
                    return followInBackground(name)
                }
                running.supervisor.reset(bundle: bundle)
                domains.add(makeDomain(name, bundle, running.rootID, running.supervisor))
            }
        }
    }

    /// Has the traffic with a provider recorded in files, or no longer. What runs is ended in good order.
    ///
    /// - Parameter domain: nil for all domains of the provider.
    /// - Returns: the folders of the recordings, one a domain.
    /// - Throws: `notConfigured` for a provider that is not installed, or a domain that is not its own.
    public func recordProvider(
        _ id: ProviderIdentifier, domain: DomainName?, isOn: Bool
    ) async throws(DocumentError) -> [String] {
        var folders: [String] = []
        for name in try await domainNames(of: id, domain) {
            try await providerRecords.setRecording(name, isOn: isOn)
            domains.find(name)?.supervisor.record(in: providerRecords.recordings(of: name))
            folders.append(providerRecords.folder(of: name).string)
        }
        return folders
    }

    private func domainNames(
        of id: ProviderIdentifier, _ domain: DomainName?
    ) async throws(DocumentError) -> [DomainName] {
        let names = try storage.read { try $0.domains() }.filter { $0.provider == id }.map(\.name).sorted()
        guard let domain else {
            // Also for one that has no domain: an unknown one is worth an error.
            if names.isEmpty { _ = try await catalogue().bundle(id) }
            return names
        }
        guard names.contains(domain) else {
            let known = names.map(\.rawValue).joined(separator: ", ")
            throw DocumentError(
                .notConfigured,
                "The domain “\(domain)” is none of \(id)'s. "
                    + (names.isEmpty ? "It has none." : "Its domains are: \(known)."))
        }
        return [domain]
    }
}
