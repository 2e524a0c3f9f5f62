internal import CDocentShims
internal import DocumentModel

/// How far providers are confined: what the user has decided, and what the running kernel can do.
package struct Confinement: Hashable, Sendable {
    package enum Demand: Hashable, Sendable {
        /// Providers are not started where the kernel has no Landlock.
        case required
        /// There they are started all the same, with what else there is: the user has said so.
        case asFarAsPossible
        /// Never: for tests of something else, and for embedders that run providers of their own.
        case none
    }

    package var demand: Demand
    /// The version of the kernel's Landlock; 0 when it has none.
    package var landlock: Int
    /// Whether the host is run by root.
    package var isRoot: Bool

    package init(_ demand: Demand = .required, landlock: Int, isRoot: Bool) {
        self.demand = demand
        self.landlock = landlock
        self.isRoot = isRoot
    }

    /// On the machine that this runs on.
    package static func here(_ demand: Demand = .required) -> Confinement {
        Confinement(demand, landlock: max(0, Int(docent_landlock_version())), isRoot: BundleTrust.current.user == 0)
    }

    /// Why a provider cannot be started at all.
    func refusal(of manifest: Manifest) -> DocumentError? {
        guard demand == .required, landlock == 0 else { return nil }
        return DocumentError(
            .notConfigured,
            "The provider \(manifest.name) (\(manifest.identifier)) is not started: this kernel has no Landlock, so nothing would keep it to the files that it asks for. Boot a kernel that has it (5.13 or newer, with “landlock” in lsm=); or, if you trust your providers with all that you may do, start the host with “docentd --allow-unsandboxed”, or with DOCENT_ALLOW_UNSANDBOXED=1 in its environment."
        )
    }

    /// What the host has to say at its start; nil when all can be enforced.
    package var notice: String? {
        switch (demand, landlock) {
        case (.none, _): "Providers are not confined."
        case (.required, 0):
            "This kernel has no Landlock: providers are not started, unless --allow-unsandboxed (or DOCENT_ALLOW_UNSANDBOXED=1) says that they may run without."
        case (.asFarAsPossible, 0):
            "This kernel has no Landlock: providers may read and change all that you may, as --allow-unsandboxed permits."
        default: nil
        }
    }

    /// What a manifest does not ask for and the kernel cannot refuse, one sentence each, for people.
    package func gaps(for manifest: Manifest) -> [String] {
        guard demand != .none else { return ["It is not confined at all."] }
        var gaps: [String] = []
        if landlock < 1 {
            gaps.append(
                demand == .required
                    ? "This kernel has no Landlock, so it is not started (see “docentd --help”, --allow-unsandboxed)."
                    : "This kernel has no Landlock: it may read and change all files that you may.")
        } else if landlock < 3 {
            gaps.append("This kernel's Landlock (version \(landlock)) lets it empty files that you may change.")
        }
        if landlock < 4, !manifest.permissions.connect.isEmpty {
            gaps.append("This kernel's Landlock (version \(landlock)) lets it connect to every port.")
        }
        if manifest.limits.processes > 0 {
            if landlock < 6 {
                gaps.append(
                    "This kernel's Landlock (version \(landlock)) lets it send signals to your other programs.")
            }
            if isRoot { gaps.append("The host is run by root, for whom the kernel does not limit processes.") }
        }
        return gaps
    }
}
