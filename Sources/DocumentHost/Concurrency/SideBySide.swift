import DocumentModel

/// Does something for each of some domains, side by side: a provider that does not answer keeps no other domain waiting.
func sideBySide(_ domains: [DomainName], _ body: @escaping @Sendable (DomainName) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for domain in domains { group.addTask { await body(domain) } }
    }
}
