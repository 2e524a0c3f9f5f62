package import DocumentModel
internal import DocumentTransport
package import DocumentWire
internal import Synchronization
package import SystemPackage

/// What a provider is started with, and what is known of it.
extension ProviderSupervisor {
    /// Of the settings that it had before so many are remembered.
    private static let mostEarlierSettings = 16

    /// Forgets past deaths, and has the next use start the provider anew, with other settings or another bundle if given.
    ///
    /// - Parameter rootID: the top folder that it has to have from now on; nil for the one that it had to have before.
    package func reset(
        bundle: ProviderBundle? = nil, settings: SessionSettings? = nil, expecting rootID: ItemIdentifier? = nil
    ) {
        perform(
            core.withLock { core in
                if let bundle { core.configuration.bundle = bundle }
                if let settings {
                    core.earlierSettings.append(core.configuration.settings.settings)
                    if core.earlierSettings.count > Self.mostEarlierSettings { core.earlierSettings.removeFirst() }
                    core.configuration.settings = settings
                }
                if let rootID { core.configuration.expectedRootID = rootID }
                return core.machine.reset()
            })
    }

    /// Has the traffic recorded from the next start on, or no longer.
    package func record(in folder: FilePath?) {
        perform(
            core.withLock { core in
                guard core.configuration.recordings != folder else { return [] }
                core.configuration.recordings = folder
                return core.machine.replace()
            })
    }

    /// A provider that was given up is looked at anew when its manifest or its program changed.
    func lookAgain() async {
        // One that is no process of this host has nothing on disk.
        guard context.link == nil else { return }
        let last = core.withLock { core -> (bundle: ProviderBundle, stamp: BundleStamp?)? in
            guard case .givenUp = core.machine.state else { return nil }
            return (core.configuration.bundle, core.launchStamp)
        }
        guard let (bundle, stamp) = last else { return }
        let changed: ProviderBundle?? = try? await lookups.run(within: bundle.manifest.deadlines.start) {
            guard BundleStamp(bundle) != stamp else { return nil }
            return try ProviderBundle.load(folder: bundle.folder)
        }
        if let changed = changed ?? nil, changed.manifest.identifier == bundle.manifest.identifier {
            reset(bundle: changed)
        }
    }

    /// What its next process is started with.
    package var settings: SessionSettings { core.withLock { $0.configuration.settings } }

    /// What of the provider's own words is secret.
    package var redaction: FrameRedaction {
        core.withLock { core in
            FrameRedaction(
                settings: [core.configuration.settings.settings] + core.earlierSettings,
                of: core.configuration.bundle.manifest, besides: core.configuration.learned)
        }
    }

    /// From now on this is left out of what the provider says.
    package func learn(secret: String) {
        guard secret.utf8.count >= FrameRedaction.shortestLearned else { return }
        core.withLock { core in
            guard !core.configuration.learned.contains(secret) else { return }
            core.configuration.learned.append(secret)
            if core.configuration.learned.count > Self.mostLearned { core.configuration.learned.removeFirst() }
        }
    }

    private static let mostLearned = 256

    package var status: ProviderStatus {
        core.withLock { core in
            ProviderStatus(
                provider: core.configuration.bundle.manifest.identifier, domain: core.configuration.settings.domain,
                state: core.machine.state, processID: core.processID, software: core.live?.software ?? "",
                leases: core.leases, lastFailure: core.lastFailure,
                recordings: core.configuration.recordings)
        }
    }
}
