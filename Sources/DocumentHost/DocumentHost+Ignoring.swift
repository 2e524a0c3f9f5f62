public import DocumentModel
import DocumentStorage

/// What of a domain is kept here and not sent (CONT-13).
extension DocumentHost {
    /// The ignore rules of a domain.
    public func ignoreRules(of name: DomainName) throws(DocumentError) -> IgnoreRules {
        _ = try domains.domain(name)
        return try storage.read { try $0.ignoreRules(of: name) }
    }

    /// Changes them. What no rule holds any more for is sent; what the remote has stays there, whatever it is called.
    ///
    /// - Throws: `invalidArgument` for a pattern to be removed that is not there, and for too many; then nothing was changed.
    @discardableResult
    public func changeIgnoreRules(
        _ change: IgnoreRuleChange, of name: DomainName
    ) async throws(DocumentError) -> IgnoreRules {
        _ = try domains.domain(name)
        let rules = try await storage.write { index in
            let rules = try index.ignoreRules(of: name).applying(change)
            try index.setIgnoreRules(rules, of: name)
            return rules
        }
        try await marksChanged(in: name)
        return rules
    }

    /// Which rule decides on what is at a location, or would be: where nothing is, on a document, or else a folder.
    public func explainIgnoring(of location: Location) throws(DocumentError) -> IgnoreExplanation {
        _ = try domains.domain(location.domain)
        return try storage.read { index in
            let rules = try index.ignoreRules(of: location.domain)
            guard let item = try index.item(at: location), item.exists else {
                let decision = [false, true].lazy.compactMap { rules.decision(on: location.components, isFolder: $0) }
                    .first
                return IgnoreExplanation(decision: decision, isIgnored: decision?.isIgnored ?? false)
            }
            return IgnoreExplanation(
                decision: rules.decision(on: location.components, isFolder: item.item.kind != .document),
                isIgnored: try index.marks(of: item).ignoredBy != nil, isKnownToRemote: !item.isArriving)
        }
    }

    /// Why something is kept here.
    static func ignored(_ location: Location, by rule: IgnorePattern) -> DocumentError {
        DocumentError(
            .excludedFromSync,
            "\(location) is kept here and not sent, by the ignore rule “\(rule)”: rename it, or see docent ignore \(location.domain)."
        )
    }
}

extension IndexReader {
    /// What is at or below a location and is to be sent, and what is said about it: without what an ignore rule keeps here.
    func unsentAndMeant(
        below location: Location
    ) throws -> [(item: IndexedItem, location: Location, marks: ItemMarks)] {
        try unsent(below: location).map { ($0.item, $0.location, try marks(of: $0.item)) }
            .filter { $0.location == location || $0.marks.ignoredBy == nil }
    }
}
