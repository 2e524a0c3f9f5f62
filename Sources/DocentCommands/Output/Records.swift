package import DocumentClient
package import DocumentModel

// What `--json` prints. Keys are never renamed; new ones may come.

extension ItemStatus {
    package var json: JSON {
        .object([
            ("location", .string(location.description)),
            ("name", JSON(item.name?.rawValue)),
            ("kind", .string(item.kind.rawValue)),
            ("state", .string(state.rawValue)),
            ("size", JSON(item.size)),
            ("modified", .string(Words.instant(item.modified))),
            ("created", .string(Words.instant(item.created))),
            ("type", .string(item.contentType.identifier)),
            ("identifier", .string(item.id.rawValue)),
            ("contentVersion", .string(Words.hexadecimal(item.version.content))),
            ("metadataVersion", .string(Words.hexadecimal(item.version.metadata))),
            ("capabilities", .array(item.capabilities.names.map(JSON.string))),
            ("path", JSON(path.isEmpty ? nil : path)),
            ("problem", problem.map(\.json) ?? .null),
            ("progress", progress.map(\.json) ?? .null),
            ("conflictPath", JSON(conflictPath)),
            ("conflictVersions", JSON(item.conflictVersions)),
            ("isDownloaded", .boolean(isDownloaded)),
            ("isUploaded", .boolean(isUploaded)),
            ("isDownloading", .boolean(isDownloading)),
            ("isUploading", .boolean(isUploading)),
            ("hasUnresolvedConflicts", .boolean(hasUnresolvedConflicts)),
            ("isExcludedFromSync", .boolean(isExcludedFromSync)),
            ("downloadingStatus", .string(downloadingStatus.rawValue)),
            ("downloadRequested", .boolean(transfers.isDownloadRequested)),
            ("download", transfers.download.map(\.json) ?? .null),
            ("upload", transfers.upload.map(\.json) ?? .null),
            ("keeping", .string(marks.keeping.rawValue)),
            ("ownKeeping", JSON(marks.own?.rawValue)),
            ("ignoredBy", JSON(marks.ignoredBy?.text)),
            ("paused", .boolean(marks.isPaused)),
        ])
    }
}

extension ItemCapabilities {
    package var names: [String] {
        let known: [(Self, String)] = [
            (.read, "read"), (.write, "write"), (.rename, "rename"), (.move, "move"), (.delete, "delete"),
        ]
        return known.filter { contains($0.0) }.map(\.1)
    }
}

extension DocumentError {
    package var json: JSON {
        .object([
            ("code", .string(code.description)),
            ("message", .string(message)),
            ("causes", .array(causes.map(JSON.string))),
        ])
    }
}

extension TransferProgress {
    package var json: JSON {
        .object([("done", JSON(done)), ("expected", JSON(expected))])
    }
}

extension ProviderDescription {
    package var json: JSON {
        .object([
            ("identifier", .string(id.rawValue)),
            ("name", .string(name)),
            ("version", .string(version)),
            ("pickerModes", .array(pickerModes.map { .string($0.rawValue) })),
            ("supportedTypes", .array(supportedTypes.map { .string($0.identifier) })),
            ("capabilities", .array(capabilities.map { .string($0.rawValue) })),
            ("settings", .array(settings.map(\.json))),
            ("permissions", .array(permissions.map(JSON.string))),
            ("notEnforced", .array(gaps.map(JSON.string))),
            ("domains", .array(domains.map { .string($0.rawValue) })),
            ("protocolVersions", .array(protocolVersions.map { JSON($0) })),
            ("bundle", .string(bundlePath)),
            ("executable", .string(executable)),
        ])
    }
}

extension SettingDescription {
    package var json: JSON {
        .object([
            ("key", .string(key)),
            ("type", .string(type.rawValue)),
            ("required", .boolean(required)),
            ("secret", .boolean(isSecret)),
            ("signIn", JSON(signIn)),
            ("default", JSON(defaultValue)),
            ("description", .string(description)),
        ])
    }
}

extension InstalledProviders {
    package var json: JSON {
        .object([
            ("providers", .array(providers.map(\.json))),
            ("problems", .array(problems.map(JSON.string))),
        ])
    }
}

extension DomainDescription {
    package var json: JSON {
        .object([
            ("name", .string(name.rawValue)),
            ("provider", .string(providerID.rawValue)),
            (
                "settings",
                .object(settings.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) })
            ),
            ("providerState", .string(providerState.rawValue)),
            ("providerProcess", JSON(providerProcessID)),
            ("restartInMilliseconds", JSON(restartDelay.map { Int64(($0 / .milliseconds(1)) as Double) })),
            ("recordings", JSON(recordings)),
            ("note", JSON(note?.text)),
            ("noteIsWarning", .boolean(note?.isWarning ?? false)),
            ("needsSignIn", .boolean(needsSignIn)),
            ("rules", rules.json),
            ("quota", quota.map(\.json) ?? .null),
            ("heldDeletions", .array(heldDeletions.map(\.json))),
            ("problem", problem.map(\.json) ?? .null),
        ])
    }
}

extension DomainStatus {
    package var json: JSON {
        .object([
            ("domain", domain.json),
            ("items", JSON(items)),
            ("materialised", JSON(materialised)),
            ("materialisedBytes", JSON(materialisedBytes)),
            ("unsent", JSON(unsent)),
            ("conflicts", JSON(conflicts)),
            ("transfers", transfers.json),
        ])
    }
}

extension BroughtFor {
    package var json: JSON {
        .object([
            ("who", .string(who)),
            ("documents", JSON(documents)),
            ("bytes", JSON(bytes)),
            ("last", .string(last.description)),
        ])
    }
}

extension StorageStatus {
    package func json(with coordination: CoordinationStatus) -> JSON {
        .object([
            ("domains", .array(domains.map(\.json))),
            ("items", .array(items.map(\.json))),
            ("transfers", transfers.json),
            ("broughtFor", .array(broughtFor.map(\.json))),
            ("holdings", .array(coordination.holdings.map(JSON.string))),
            ("waits", .array(coordination.waits.map(JSON.string))),
            ("droppedPresenters", .array(coordination.droppedPresenters.map(JSON.string))),
        ])
    }
}

extension HostStatus {
    package var json: JSON {
        .object([
            ("running", .boolean(true)),
            ("version", .string(version)),
            ("process", JSON(processID)),
            ("root", .string(root)),
            ("started", .string(Words.instant(started))),
            ("connections", JSON(connections)),
            ("claims", JSON(claims)),
            ("memory", JSON(memory)),
            ("findings", .array(findings.map(JSON.string))),
        ])
    }
}

extension TransferStatus {
    package var json: JSON {
        .object([
            ("underWay", .boolean(isUnderWay)),
            ("done", JSON(done)),
            ("expected", JSON(expected)),
            ("percent", JSON(percent)),
            ("bytesPerSecond", JSON(bytesPerSecond)),
            ("secondsLeft", JSON(timeLeft.map(\.components.seconds))),
            ("waitsFor", JSON(wait?.rawValue)),
            ("retryInSeconds", JSON(retryIn.map(\.components.seconds))),
            ("problem", problem.map(\.json) ?? .null),
        ])
    }
}

extension TransferSummary {
    package var json: JSON {
        .object([
            ("waiting", JSON(waiting)),
            ("underWay", JSON(underWay)),
            ("failed", JSON(failed)),
            ("bytesLeft", JSON(bytesLeft)),
            ("bytesPerSecond", JSON(bytesPerSecond)),
            ("secondsLeft", JSON(timeLeft.map(\.components.seconds))),
        ])
    }
}
