internal import CDocentShims
internal import DocumentModel

/// How far providers are confined: what the user has decided, and what the running kernel can do.
package struct Confinement: Hashable, Sendable {
    package enum Demand: Hashable, Sendable {
        /// Providers are not started where the kernel has no Landlock, or one that cannot keep them to what they ask for.
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
        guard demand == .required else { return nil }
        guard landlock > 0 else {
            return refusal(
                of: manifest,
                "this kernel has no Landlock, so nothing would keep it to the files that it asks for. Boot a kernel that has it (5.13 or newer, with “landlock” in lsm=)"
            )
        }
        let gaps = gapsOfLandlock(for: manifest)
        guard let newest = gaps.last else { return nil }
        return refusal(
            of: manifest,
            "this kernel's Landlock (version \(landlock)) would let it \(gaps.map(\.allows).joined(separator: " and ")), which it does not ask for. Boot a newer kernel (\(newest.since) or newer)"
        )
    }

    private func refusal(of manifest: Manifest, _ reason: String) -> DocumentError {
        DocumentError(
            .notConfigured,
            "The provider \(manifest.name) (\(manifest.identifier)) is not started: \(reason); or, if you trust your providers with all that you may do, start the host with “docentd --allow-unsandboxed”, or with DOCENT_ALLOW_UNSANDBOXED=1 in its environment."
        )
    }

    /// What an older Landlock lets a provider do beyond its manifest. The files are not among it: what the oldest ones
    /// leave open of them, the filter of system calls closes. By the kernel that has no such gap, oldest first.
    private func gapsOfLandlock(for manifest: Manifest) -> [(allows: String, since: String)] {
        var gaps: [(allows: String, since: String)] = []
        if landlock < 4, !manifest.permissions.connect.isEmpty { gaps.append(("connect to every port", "6.7")) }
        // One process has the filter, which knows its number.
        if landlock < 6, manifest.limits.processes > 0 {
            gaps.append(("send signals to your other programs", "6.12"))
        }
        return gaps
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
        let isRefused = refusal(of: manifest) != nil
        if landlock < 1 {
            gaps.append(
                isRefused
                    ? "This kernel has no Landlock, so it is not started (see “docentd --help”, --allow-unsandboxed)."
                    : "This kernel has no Landlock: it may read and change all files that you may.")
        }
        for gap in gapsOfLandlock(for: manifest) where landlock > 0 || !isRefused {
            let landlock = landlock > 0 ? "This kernel's Landlock (version \(landlock))" : "This kernel"
            gaps.append(
                isRefused
                    ? "\(landlock) would let it \(gap.allows), so it is not started (see “docentd --help”, --allow-unsandboxed)."
                    : "\(landlock) lets it \(gap.allows).")
        }
        if manifest.limits.processes > 0, isRoot {
            gaps.append("The host is run by root, for whom the kernel does not limit processes.")
        }
        return gaps
    }
}
