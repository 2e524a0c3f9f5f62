import DocumentHost
import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage

/// What one host tool asks, mapped onto the host.
struct ToolHandler: RequestHandler {
    let host: DocumentHost
    let tool: DocumentHost.Tool
    let daemon: DaemonControl

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        try await reply(to: try ServiceCall(serialized: body), request).serialized()
    }

    private func reply(to call: ServiceCall, _ request: IncomingRequest) async throws(DocumentError) -> ServiceReply {
        let report: @Sendable (TransferProgress?) -> Void = { progress in
            if let progress { request.report(progress) } else { request.heartbeat() }
        }
        switch call {
        case .hostStatus: return .hostStatus(daemon.status(of: host))
        case .stopHost:
            daemon.stop()
            return .done
        case .listProviders(let id):
            let (providers, problems) = try await host.providers(id)
            return .listProviders(providers, problems: problems)
        case .addDomain(let name, let id, let settings):
            return .listDomains([try await host.addDomain(name, provider: id, settings: settings)])
        case .listDomains: return .listDomains(try await host.domainDescriptions())
        case .removeDomain(let name, let discardUnsent):
            try await host.removeDomain(name, discardingUnsent: discardUnsent)
            return .done
        case .listItems(let location, let page, let count, let refresh):
            return .listItems(
                try await host.items(
                    in: location, page: page, suggestedCount: count, refreshing: refresh, onProgress: report))
        case .getItem(let location): return .item(try await host.item(at: location))
        case .makeFolder(let location): return .item(try await host.makeFolder(at: location))
        case .renameItem(let location, let destination):
            return .item(try await host.rename(location, to: destination))
        case .removeItem(let location, let recursive, let discardUnsent):
            try await host.remove(location, recursive: recursive, discardingUnsent: discardUnsent)
            return .done
        case .beginAccess(let access):
            let (number, item) = try await host.beginAccess(access, for: tool, onProgress: report)
            return .beginAccess(access: number, path: item.path, item: item)
        case .endAccess(let number):
            try await host.endAccess(number, of: tool)
            return .done
        case .exportDocument(let source, let destination, let replace):
            return .item(
                try await host.export(
                    FilePath(source), to: destination, removingSource: false, replacing: replace, onProgress: report))
        case .moveDocument(let source, let destination, let replace):
            return .item(
                try await host.export(
                    FilePath(source), to: destination, removingSource: true, replacing: replace, onProgress: report))
        case .download(let location):
            try await host.download(location, onProgress: report)
            return .done
        case .evict(let location):
            let (documents, bytes) = try await host.evict(location)
            return .evict(evicted: documents, bytes: bytes)
        case .waitUntilSent(let location):
            try await host.waitUntilSent(location, onProgress: report)
            return .done
        case .status(let location):
            let (domains, items) = try await host.status(below: location)
            return .status(domains: domains, items: items)
        case .resolveConflict(let location, let choice):
            try await host.resolveConflict(at: location, keeping: choice)
            return .done
        case .refresh(let location):
            try await host.refresh(location)
            return .done
        }
    }
}
