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
        try await begin(body, request)()
    }

    /// What of a request's bytes means nothing is not kept for as long as the request waits.
    func begin(_ body: [UInt8], _ request: IncomingRequest) throws -> @Sendable () async throws -> [UInt8] {
        let (call, nestedIn) = try ServiceCall.nested(serialized: body)
        return { try await answer(to: call, nestedIn: nestedIn, request) }
    }

    private func answer(
        to call: ServiceCall, nestedIn: [UInt64], _ request: IncomingRequest
    ) async throws -> [UInt8] {
        guard request.priority != .ending || call.isEnding else {
            throw DocumentError(
                .invalidArgument,
                "Only what ends something may be asked with the priority ENDING; ask again without it.")
        }
        try host.authorise(call, for: tool)
        if case .beginAccess(let access) = call, let answer = host.beginAccessAtOnce(access, for: tool) {
            return answer
        }
        if case .bookmark(.access(let access)) = call, let answer = host.beginAccessAtOnce(access, for: tool) {
            return answer
        }
        return try await host.asked(by: tool, isGivenUp: { request.isGivenUp }) {
            if nestedIn.isEmpty { return try await answer(to: call, request) }
            return try await host.inside(of: nestedIn, of: tool) { try await answer(to: call, request) }
        }
    }

    private func answer(to call: ServiceCall, _ request: IncomingRequest) async throws(DocumentError) -> [UInt8] {
        guard host.isConfined(tool) else { return try await reply(to: call, request).serialized() }
        let root = host.rootPath.string
        do throws(DocumentError) {
            return try await reply(to: call, request).withoutPaths(below: root).serialized()
        } catch {
            throw error.withoutPaths(below: root)
        }
    }

    private func reply(to call: ServiceCall, _ request: IncomingRequest) async throws(DocumentError) -> ServiceReply {
        let report: @Sendable (TransferProgress?) -> Void = { progress in
            if let progress { request.report(progress) } else { request.heartbeat() }
        }
        switch call {
        case .hostStatus: return .hostStatus(host.reduced(daemon.status(of: host), for: tool))
        case .stopHost:
            daemon.stop()
            return .done
        case .listProviders(let id):
            let (providers, problems) = try await host.providers(id)
            return .listProviders(providers, problems: problems)
        case .lastFailure(let id, let domain):
            let found = try await host.lastFailure(of: id, domain: domain)
            return .lastFailure(record: found?.record, path: found?.path ?? "")
        case .restartProvider(let id, let domain):
            try await host.restartProvider(id, domain: domain)
            return .done
        case .recordProvider(let id, let domain, let isOn):
            return .recordProvider(folders: try await host.recordProvider(id, domain: domain, isOn: isOn))
        case .addDomain(let name, let id, let settings):
            return .listDomains([try await host.addDomain(name, provider: id, settings: settings)])
        case .listDomains:
            return .listDomains(try host.reduced(try await host.domainDescriptions(), for: tool))
        case .removeDomain(let name, let discardUnsent):
            try await host.removeDomain(name, discardingUnsent: discardUnsent)
            return .done
        case .answerDeletions(let name, let direction, let carryOut):
            try await host.answerDeletions(of: name, direction, carryOut: carryOut)
            return .done
        case .setDomainRules(let name, let change):
            try await host.setRules(change, of: name)
            return .done
        case .quota(let name):
            return .listDomains(try host.reduced([try await host.quota(of: name)], for: tool))
        case .signIn(let name, let settings, let answersPrompts):
            let handler: DocumentHost.PromptHandler = { prompt, provider throws(DocumentError) in
                let answer = try await request.ask(ToolCall.ask(name, provider: provider, prompt).serialized())
                return try ToolCall.promptAnswer(serialized: answer)
            }
            return .listDomains([
                try await host.signIn(to: name, settings: settings, prompting: answersPrompts ? handler : nil)
            ])
        case .signOut(let name, let dropUnsent):
            try await host.signOut(of: name, droppingUnsent: dropUnsent)
            return .done
        case .listItems(let location, let page, let count, _, known: true):
            return .listItems(try await host.knownItems(in: location, page: page, suggestedCount: count))
        case .listItems(let location, let page, let count, let refresh, known: false):
            return .listItems(
                try await host.items(
                    in: location, page: page, suggestedCount: count, refreshing: refresh, onProgress: report))
        case .getItem(let location, known: true): return .item(try await host.knownItem(at: location))
        case .getItem(let location, known: false): return .item(try await host.item(at: location))
        case .makeFolder(let location, let atOnce):
            return .item(try await host.makeFolder(at: location, atOnce: atOnce))
        case .renameItem(let location, let destination, let atOnce):
            return .item(try await host.rename(location, to: destination, atOnce: atOnce, for: tool))
        case .removeItem(let location, let recursive, let discardUnsent, let atOnce):
            try await host.remove(
                location, recursive: recursive, discardingUnsent: discardUnsent, atOnce: atOnce, for: tool)
            return .done
        case .beginAccess(let access):
            return try reply(to: try await host.beginAccess(access, for: tool, onProgress: report))
        case .flushAccess(let number):
            try await host.flushAccess(number, of: tool)
            return .done
        case .awaitContents(let number, let range):
            try await host.awaitContents(range, of: number, for: tool)
            return .done
        case .openAccessed(let number, let index, let part, let making):
            let file = try await host.openAccessed(number, index, part: part, making: making, of: tool)
            request.pass(PassedDescriptor(file.rawValue))
            return .done
        case .endAccess(let number):
            try await host.endAccess(number, of: tool)
            return .done
        case .endWrite(let number, let presenter, let location):
            try await host.endWrite(number, presenter: presenter, presents: location, of: tool)
            return .done
        case .addPresenter(let registration):
            try await host.addPresenter(registration, for: tool)
            return .done
        case .removePresenter(let number):
            host.removePresenter(number, of: tool)
            return .done
        case .setPresentedItem(let number, let place):
            try await host.setPresented(place, of: number, tool: tool)
            return .done
        case .cancelCoordinator(let number):
            host.cancelCoordinator(number, of: tool)
            return .done
        case .coordinationStatus: return .coordinationStatus(host.coordinationStatus)
        case .exportDocument(let source, let destination, let replace):
            return .item(
                try await host.export(
                    FilePath(source), to: destination, removingSource: false, replacing: replace, onProgress: report))
        case .moveDocument(let source, let destination, let replace):
            return .item(
                try await host.export(
                    FilePath(source), to: destination, removingSource: true, replacing: replace, onProgress: report))
        case .moveIn(let source, let destination):
            return .item(try await host.moveIn(FilePath(source), to: destination))
        case .moveOut(let call):
            try await host.moveOut(call, for: tool)
            return .done
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
            let report = try await host.status(below: location)
            return .status(
                domains: host.reduced(report.domains, for: tool), items: report.items, transfers: report.transfers,
                broughtFor: location == nil ? host.broughtFor(seenBy: tool) : [])
        case .resolveConflict(let location, let choice, let name):
            try await host.resolveConflict(at: location, keeping: choice, as: name)
            return .done
        case .listVersions(let location): return .versions(try await host.versions(at: location))
        case .fetchRemoteVersion(let location):
            try await host.fetchRemoteVersion(at: location, onProgress: report)
            return .done
        case .restoreVersion(let location, let version):
            try await host.restore(version, at: location)
            return .done
        case .removeVersions(let location, let versions):
            try await host.removeVersions(versions, at: location)
            return .done
        case .refresh(let location):
            try await host.refresh(location)
            return .done
        case .beginPicker(let request):
            let (session, roots) = try await host.beginPicker(request, for: tool)
            return .beginPicker(session, roots: roots)
        case .browsePicker(let session, let folder, let page, let count, let refresh):
            return .browsePicker(
                try await host.browse(
                    folder, in: session, page: page, suggestedCount: count, refreshing: refresh, for: tool))
        case .makePickerFolder(let session, let folder, let name):
            return .pickerEntry(try await host.makePickerFolder(named: name, in: folder, in: session, for: tool))
        case .choosePicker(let session, let selection):
            return .choosePicker(try await host.choose(selection, in: session, for: tool, onProgress: report))
        case .cancelPicker(let session):
            try host.cancelPicker(session, for: tool)
            return .done
        case .searchPicker(let session, let folder, let query, let page, let count):
            return .searchPicker(
                try await host.search(
                    for: query, below: folder, in: session, page: page, suggestedCount: count, for: tool))
        case .thumbnails(let call): return try await reply(to: call)
        case .bookmark(.access(let access)):
            return try reply(to: try await host.beginAccess(access, for: tool, onProgress: report))
        case .bookmark(let call): return try await reply(to: call)
        case .tools(let call): return try await reply(to: call)
        case .transfers(let call): return try await reply(to: call)
        case .safeguards(let call): return try await reply(to: call)
        }
    }

    private func reply(to grant: (number: UInt64, items: [AccessedItem])) throws(DocumentError) -> ServiceReply {
        guard let first = grant.items.first else {
            throw DocumentError(.internal, "An access to nothing was granted; ask again.")
        }
        return .beginAccess(
            access: grant.number, path: first.path, item: first.item, also: Array(grant.items.dropFirst()))
    }

    private func reply(to call: ToolsCall) async throws(DocumentError) -> ServiceReply {
        switch call {
        case .register(let path): return .tools(.tools([try await host.registerTool(FilePath(path))]))
        case .describe(let id): return .tools(.tools(try host.toolDescriptions(id, for: tool)))
        case .unregister(let id):
            try await host.unregisterTool(id)
            return .done
        case .openContainer(let container):
            return .tools(.openContainer(try await host.openContainer(container, for: tool)))
        case .listContainers:
            return .tools(
                .containers(try await host.containers(for: tool), place: host.containerPlace(for: tool)))
        case .placeContainers(let place):
            try await host.setContainerPlace(place)
            return .done
        case .removeContainerData(let container):
            try await host.removeData(ofContainer: container, for: tool)
            return .done
        case .getKeyValues(let keys, let after):
            let (values, revision) = try await host.keyValues(keys, after: after, for: tool)
            return .tools(.keyValues(values, revision: revision))
        case .setKeyValues(let change):
            try await host.changeKeyValues(change, for: tool)
            return .done
        }
    }

    private func reply(to call: BookmarkCall) async throws(DocumentError) -> ServiceReply {
        switch call {
        case .create(let location, let options):
            let (bookmark, description) = try await host.createBookmark(of: location, options, for: tool)
            return .bookmark(.create(bookmark, description))
        case .resolve(let bookmark, let document):
            return .bookmark(.resolve(try await host.resolveBookmark(bookmark, document: document, for: tool)))
        case .start(let bookmark, let document):
            return .bookmark(
                .start(refusal: try await host.startBookmark(bookmark, document: document, for: tool)))
        case .stop(let bookmark):
            try await host.stopBookmark(bookmark, for: tool)
            return .done
        case .list: return .bookmark(.list(try host.bookmarkDescriptions(for: tool)))
        case .revoke(let id):
            try await host.revokeBookmark(id)
            return .done
        case .access: throw DocumentError(.internal, "An access was taken for another call; ask again.")
        }
    }
}
