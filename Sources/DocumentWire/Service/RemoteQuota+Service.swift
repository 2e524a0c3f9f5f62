import DocumentModel

extension ToldQuota {
    init(_ wire: WireServiceRemoteQuota) throws(DocumentError) {
        self.init(
            try RemoteQuota(
                total: wire.hasTotal ? wire.total : nil, used: wire.hasUsed ? wire.used : nil,
                available: wire.hasAvailable ? wire.available : nil),
            asOf: try Timestamp(wire.asOf))
    }
}

extension WireServiceRemoteQuota {
    init(_ told: ToldQuota) {
        self.init()
        if let total = told.quota.total { self.total = total }
        if let used = told.quota.used { self.used = used }
        if let available = told.quota.available { self.available = available }
        asOf = WireModelTimestamp(told.asOf)
    }
}
