package import DocumentModel
package import DocumentTransport
import DocumentWire
package import Logging
import Synchronization
import SystemPackage

/// One provider, serving one domain over one connection.
package enum ProviderSession {
    /// Exchanges the hellos and serves until the connection has ended.
    ///
    /// - Parameter logger: what the transport has to say. What the provider logs goes to the host.
    package static func run<P: Provider>(
        _ type: P.Type, over end: any TransportEnd, loop: EventLoop, logger: Logger
    ) async throws(DocumentError) -> ConnectionEnd {
        var configuration = Connection.Configuration(role: .responder, preface: .sends)
        configuration.software = P.version.isEmpty ? "\(P.self)" : "\(P.self) \(P.version)"
        configuration.peerName = "The host"
        let connection = Connection(end: end, loop: loop, configuration: configuration, logger: logger)
        let link = HostLink()
        let opened = Mutex<OpenedProvider<P>?>(nil)
        _ = try await connection.open { hello in
            let settings = try SessionSettings(serialized: hello.context)
            let provider = await OpenedProvider<P>(context: ProviderContext(settings, link: link))
            opened.withLock { $0 = provider }
            return provider.capabilities.serialized()
        } failure: {
            opened.withLock { $0?.failure }
        }
        guard let provider = opened.withLock({ $0 }) else {
            throw DocumentError(.internal, "The host's hello was answered without being read.")
        }
        link.open(connection)
        defer { link.close() }
        return await connection.run(ProviderServer(provider: provider))
    }
}

extension ProviderContext {
    init(_ settings: SessionSettings, link: HostLink) {
        var logger = Logger(label: settings.providerID.rawValue) { _ in HostLogHandler(link: link) }
        logger[metadataKey: "domain"] = "\(settings.domain)"
        self.init(
            providerIdentifier: settings.providerID,
            domain: settings.domain,
            settings: settings.settings,
            stateFolder: FilePath(settings.stateFolder),
            documentStorageURL: FilePath(settings.storageRoot),
            stagingFolder: FilePath(settings.stagingFolder),
            deviceName: settings.deviceName,
            logger: logger,
            host: link
        )
    }
}
