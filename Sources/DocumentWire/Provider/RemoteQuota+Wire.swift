import DocumentModel

extension RemoteQuota {
    /// - Throws: `invalidArgument` for what cannot be.
    init(_ wire: WireProviderGetQuotaAnswer) throws(DocumentError) {
        try self.init(
            total: wire.hasTotal ? wire.total : nil, used: wire.hasUsed ? wire.used : nil,
            available: wire.hasAvailable ? wire.available : nil)
    }
}

extension WireProviderGetQuotaAnswer {
    init(_ quota: RemoteQuota) {
        self.init()
        if let total = quota.total { self.total = total }
        if let used = quota.used { self.used = used }
        if let available = quota.available { self.available = available }
    }
}
