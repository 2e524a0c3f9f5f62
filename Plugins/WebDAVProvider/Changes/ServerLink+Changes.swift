internal import DocumentModel
internal import NIOCore

extension ServerLink {
    /// No answer has more resources than this.
    static let mostChanges = 20_000
    /// Refusals that say why; whatever else is wrong with the request is no reason to make it again.
    private static let telling: Set<Int> = [207, 400, 403, 405, 409, 410, 412, 415, 422, 501, 507]

    /// What a folder says of changes in it.
    ///
    /// - Returns: nil where it cannot tell any.
    /// - Throws: `ServerFailure`; the status 404 says that nothing is there.
    func syncToken(of path: RemotePath, retrying limits: RetryPlan.Limits? = nil) async throws -> String? {
        try await ask(.syncToken(of: path), accepting: [207], retrying: limits ?? timing.retrying) { answer in
            var found: [Resource] = []
            try await read(answer, limits: Multistatus.Limits(resources: 64)) { found.append($0) }
            let itself = found.count == 1 ? found.first : found.first { Href.place($0.href, of: address) == path }
            guard let token = itself?.properties.syncToken, Self.isUsable(token) else { return nil }
            return token
        }
    }

    /// Asks what has changed since a token.
    ///
    /// - Parameters:
    ///   - isDeep: in all that is below a folder, not only in it.
    ///   - count: so many changes are enough for one answer; servers do not have to care.
    /// - Throws: `ServerFailure` where asking again may help; the status 404 says that the folder is not there.
    func changes(
        since token: String, in path: RemotePath, isDeep: Bool, count: Int?
    ) async throws -> ChangeReport.Outcome {
        var request = ServerRequest.changes(since: token, in: path, isDeep: isDeep, count: count)
        request.timeout = timing.listing
        do {
            let outcome = try await ask(request, accepting: Self.telling, retrying: timing.retrying) { answer in
                answer.status == 207
                    ? try await report(answer, in: path, isDeep: isDeep)
                    : await refusal(answer)
            }
            // A server that cannot stop where it was asked to has to be told so once more (section 3.7).
            if outcome == .tooMuch, count != nil {
                return try await changes(since: token, in: path, isDeep: isDeep, count: nil)
            }
            return outcome
        } catch ServerFailure.unusable {
            return .refused
        }
    }

    private func report(_ answer: ServerAnswer, in path: RemotePath, isDeep: Bool) async throws -> ChangeReport.Outcome
    {
        var report = ChangeReport()
        var count = 0
        let end: Multistatus
        do {
            end = try await read(answer, limits: Multistatus.Limits(resources: Self.mostChanges)) { resource in
                count += 1
                report.take(resource, in: path, isDeep: isDeep, of: address)
            }
        } catch let problem as XMLProblem {
            if count >= Self.mostChanges { return .expired }
            throw problem
        }
        guard let next = end.syncToken, Self.isUsable(next) else { return .refused }
        report.token = next
        return .told(report)
    }

    private func refusal(_ answer: ServerAnswer) async -> ChangeReport.Outcome {
        let end = try? await read(answer, limits: Multistatus.Limits(resources: 0, mayBeRefusal: true)) { _ in }
        let conditions = end?.conditions ?? []
        if conditions.contains(.validToken) { return .expired }
        return answer.status == 507 || conditions.contains(.withinLimits) ? .tooMuch : .refused
    }

    /// It goes into XML, and is kept for every folder.
    private static func isUsable(_ token: String) -> Bool {
        token.utf8.count <= 2048 && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

extension ChangeReport {
    fileprivate mutating func take(
        _ resource: Resource, in path: RemotePath, isDeep: Bool, of address: ServerAddress
    ) {
        guard let place = Href.place(resource.href, of: address), place.names.starts(with: path.names),
            isDeep || place.names.count <= path.names.count + 1
        else {
            strangers += 1
            return
        }
        if resource.conditions.contains(.traversal) { isShallow = true }
        if place == path {
            if resource.status == 507 { isTruncated = true }
            return
        }
        depth = max(depth, place.names.count - path.names.count)
        // What Docent itself makes for a while is nobody's business.
        if place.names.contains(where: OwnNames.isOwn) { return }
        switch resource.status ?? 200 {
        case 404, 410: changes[place] = .some(nil)
        case 200..<300 where resource.hasProperties && !resource.isUnreadable: changes[place] = resource.properties
        default: isUnusable = true
        }
    }
}
