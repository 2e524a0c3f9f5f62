extension CheckRegistry {
    /// Checks that change documents, most of them.
    static let changingFamilies: [[ConformanceCheck]] = [
        CreatingChecks.all,
        ModifyingChecks.all,
        MovingChecks.all,
        DeletingChecks.all,
        BaseVersionChecks.all,
        VersionChecks.all,
        NameChecks.all,
        ContentsChecks.all,
        AnchorChecks.all,
        FeedChecks.all,
        IdempotencyChecks.all,
        ConcurrencyChecks.all,
        RestartChecks.all,
        UploadChecks.all,
        RemoteChecks.all,
    ]

    /// Checks with a host that goes wrong.
    static let hostileFamilies: [[ConformanceCheck]] = [
        HostileBytesChecks.all,
        HostileHostChecks.all,
        HostileCancelChecks.all,
        HostileStagingChecks.all,
        HostileEndingChecks.all,
    ]
}
