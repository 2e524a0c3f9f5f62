/// All checks of providers, family after family.
public enum CheckRegistry {
    /// The families in the order in which they are run. Each is one file in `Checks`.
    private static let families: [[ConformanceCheck]] = [
        HandshakeChecks.all,
        IdentityChecks.all,
        ItemChecks.all,
        ListingChecks.all,
        IdentifierChecks.all,
        PathChecks.all,
        PlaceholderChecks.all,
        ContentChecks.all,
        RangeChecks.all,
        ProgressChecks.all,
        NoticeChecks.all,
        ErrorChecks.all,
        ArgumentChecks.all,
        WireChecks.all,
        CancelChecks.all,
        CancelStageChecks.all,
        EndChecks.all,
        StreamChecks.all,
        PickerChecks.all,
        PickerChoiceChecks.all,
        ThumbnailChecks.all,
        KeptVersionChecks.all,
        QuotaChecks.all,
        CodeChecks.all,
    ]

    /// Every check, in the order in which they are run.
    public static let allChecks: [ConformanceCheck] =
        (families + changingFamilies + hostileFamilies).flatMap { $0 }

    /// What is wrong with a list of checks, one sentence each: ids that come twice or are not of the form
    /// `PC-FAMILY-001`.
    public static func problems(in checks: [CheckDescription]) -> [String] {
        var problems: [String] = []
        var seen: Set<String> = []
        for check in checks {
            if !seen.insert(check.id).inserted { problems.append("The id \(check.id) is used twice.") }
            let parts = check.id.split(separator: "-", omittingEmptySubsequences: false)
            let isWellFormed =
                parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
                && parts.last?.count == 3 && parts.last?.allSatisfy(\.isNumber) == true
                && check.id.utf8.allSatisfy { $0 < 0x80 && ($0 < 0x61 || $0 > 0x7A) } && check.id.utf8.count <= 64
            if !isWellFormed { problems.append("The id \(check.id) is not of the form PC-FAMILY-001.") }
            if check.title.isEmpty || check.title.hasSuffix(".") {
                problems.append("The title of \(check.id) is no sentence without its full stop.")
            }
        }
        return problems
    }
}
