package import DocumentClient
package import DocumentModel

// What the listings look like to people.

extension ItemState {
    /// One word, or two.
    package var word: String {
        switch self {
        case .materialised: "here"
        case .materialising: "downloading"
        case .nameClash: "name clash"
        default: rawValue
        }
    }

    /// What it means, for somebody who sees the word for the first time.
    package var explanation: String {
        switch self {
        case .placeholder: "only its metadata is here"
        case .materialising: "its contents are coming"
        case .materialised: "its contents are here and current"
        case .outdated: "its contents are here, and the remote has newer ones"
        case .changed: "changed here, not sent yet"
        case .sending: "being sent"
        case .conflict: "changed on both sides, and both contents are kept"
        case .nameClash: "not shown: another name differs from it only by case or by Unicode form"
        }
    }
}

extension ItemKind {
    fileprivate var suffix: String { self == .document ? "" : "/" }
}

package enum ItemListing {
    /// Widths do not depend on the items, so that a folder can be printed page by page.
    private static let columns = [
        Table.Column("STATE", minimumWidth: 11), Table.Column("SIZE", .right, minimumWidth: 7),
        Table.Column("MODIFIED", minimumWidth: 16), Table.Column("VERSION", minimumWidth: 12), Table.Column("NAME"),
    ]

    package static func text(_ items: [ItemStatus], showsTitles: Bool) -> String {
        var table = Table(columns)
        for status in items {
            let item = status.item
            table.add(
                item.kind.isFolder ? item.kind.rawValue : status.state.word,
                item.kind.isFolder ? "–" : item.size.map { Words.size($0) } ?? "?",
                Words.time(item.modified),
                Words.version(item.version.content, limit: 12),
                (item.name?.rawValue ?? "/") + (item.name == nil ? "" : item.kind.suffix)
            )
        }
        return table.text(showsTitles: showsTitles)
    }

    /// Everything about one item, a line each.
    package static func details(_ status: ItemStatus) -> String {
        let item = status.item
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Location", status.location.description)
        table.add("Kind", "\(item.kind.rawValue), \(item.contentType)")
        table.add("State", "\(status.state.word): \(status.state.explanation)")
        if item.kind == .document {
            table.add(
                "Size", item.size.map { "\(Words.size($0)) (\(Words.count($0, "byte", "bytes")))" } ?? "not known")
        }
        table.add("Modified", Words.time(item.modified))
        if item.created != .zero { table.add("Created", Words.time(item.created)) }
        if !item.version.content.isEmpty { table.add("Version", Words.version(item.version.content)) }
        table.add("Identifier", item.id.rawValue)
        table.add("Allowed", item.capabilities.names.joined(separator: ", "))
        if !status.path.isEmpty { table.add("Path", status.path) }
        for (name, transfer) in [("Download", status.transfers.download), ("Upload", status.transfers.upload)] {
            if let transfer { table.add(name, TransferText.line(transfer)) }
        }
        for (name, text) in TransferText.marks(status.marks) { table.add(name, text) }
        if let conflictPath = status.conflictPath { table.add("Other side", conflictPath) }
        if status.hasUnresolvedConflicts, status.state != .conflict {
            let place = ShellWord.quoted(status.location.description)
            table.add("Conflict", "on another device; the remote keeps both sides: docent versions \(place)")
        }
        if let problem = status.problem {
            table.add("Problem", ErrorText.visible(problem.message))
            for cause in ErrorText.causes(of: problem) { table.add("", "because: \(ErrorText.visible(cause))") }
        }
        return table.text(showsTitles: false)
    }

}

package enum ProviderListing {
    package static func text(_ installed: InstalledProviders, domains: [DomainDescription] = []) -> String {
        var table = Table([
            Table.Column("IDENTIFIER"), Table.Column("NAME"), Table.Column("MODES"), Table.Column("CAN ALSO"),
            Table.Column("DOMAINS"),
        ])
        for provider in installed.providers {
            table.add(
                provider.id.rawValue, provider.name, list(provider.pickerModes.map(\.rawValue)),
                list(provider.capabilities.map(\.rawValue)), list(provider.domains.map(\.rawValue)))
        }
        var text = table.isEmpty ? "No provider is installed.\n" : table.text()
        if !domains.isEmpty { text += "\n" + states(of: domains) }
        for problem in installed.problems { text += "\nNot usable: \(ErrorText.visible(problem))\n" }
        return text
    }

    /// One line a domain, and why where something is wrong.
    private static func states(of domains: [DomainDescription]) -> String {
        domains.map { domain in
            "\(domain.name): \(DomainListing.state(of: domain))\n"
                + (domain.recordings.map { "  Its traffic is recorded in \(ErrorText.visible($0)).\n" } ?? "")
                + (domain.problem.map { "  \(ErrorText.visible($0.message))\n" } ?? "")
        }.joined()
    }

    package static func details(_ provider: ProviderDescription, domains: [DomainDescription] = []) -> String {
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Identifier", provider.id.rawValue)
        table.add("Name", ErrorText.visible(provider.name))
        if !provider.version.isEmpty { table.add("Version", provider.version) }
        table.add("Modes", list(provider.pickerModes.map(\.rawValue)))
        table.add("Types", list(provider.supportedTypes.map(\.identifier)))
        table.add("Can also", list(provider.capabilities.map(Self.words)))
        table.add("Domains", list(provider.domains.map(\.rawValue)))
        table.add("Bundle", provider.bundlePath)
        var text = table.text(showsTitles: false)
        if !domains.isEmpty { text += "\n" + states(of: domains) }

        text += "\nWhat it may do, beside using its own folders:\n" + permissions(of: provider)

        if provider.settings.isEmpty { return text + "\nIt has no settings.\n" }
        text += "\nSettings, for “docent domain add NAME --provider \(provider.id) --set key=value”:\n"
        var settings = Table([Table.Column(""), Table.Column(""), Table.Column(""), Table.Column("")])
        for setting in provider.settings {
            let need = setting.required ? "required" : setting.defaultValue.map { "default: \($0)" } ?? "optional"
            settings.add(
                "  \(setting.key)", setting.isSecret ? "secret" : setting.type.rawValue, need,
                ErrorText.visible(setting.description))
        }
        text += settings.text(showsTitles: false)
        guard let secret = provider.settings.first(where: \.isSecret) else { return text }
        return text
            + "\nWhat is secret is read from a file, --set \(secret.key)=@FILE, or from standard input, --set \(secret.key)=-.\n"
    }

    /// What a provider may do and what cannot be enforced, one sentence a line.
    package static func permissions(of provider: ProviderDescription) -> String {
        var text = ""
        for permission in provider.permissions { text += "  \(ErrorText.visible(permission))\n" }
        if !provider.gaps.isEmpty { text += "But here not all of it can be enforced:\n" }
        for gap in provider.gaps { text += "  \(ErrorText.visible(gap))\n" }
        return text
    }

    private static func words(_ capability: ProviderCapability) -> String {
        switch capability {
        case .modifying: "make, change and remove items (modifying)"
        case .changes: "tell what changed on the remote (changes)"
        case .ranges: "give parts of documents (ranges)"
        case .picker: "shape how pickers show it (picker)"
        case .thumbnails: "give small pictures of documents (thumbnails)"
        case .versions: "keep both sides of conflicts for all devices (versions)"
        case .quota: "tell how much room the remote has (quota)"
        case .signIn: "ask you things when you sign in, and keep secrets of its own (sign-in)"
        }
    }

    static func list(_ words: [String]) -> String {
        words.isEmpty ? "–" : words.joined(separator: ", ")
    }
}

package enum DomainListing {
    package static func text(_ domains: [DomainDescription]) -> String {
        guard !domains.isEmpty else {
            return "There is no domain yet: “docent domain add NAME --provider ID” makes one.\n"
        }
        var table = Table([
            Table.Column("NAME"), Table.Column("PROVIDER"), Table.Column("STATE"), Table.Column("SETTINGS"),
        ])
        for domain in domains {
            let settings = domain.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            table.add(
                domain.name.rawValue, domain.providerID.rawValue, state(of: domain),
                ProviderListing.list(settings))
        }
        return table.text() + domains.compactMap(problem).joined() + domains.compactMap(warning).joined()
    }

    /// `running (process 4242)`, `waiting, to be started again in 8 s`.
    static func state(of domain: DomainDescription) -> String {
        if domain.needsSignIn { return "sign-in needed" }
        switch domain.providerState {
        case .idle, .starting, .failed: return domain.providerState.rawValue
        case .running:
            return "running" + (domain.providerProcessID.map { " (process \($0))" } ?? "")
        case .waiting:
            guard let delay = domain.restartDelay else { return "waiting" }
            return "waiting, to be started again in \(max(1, Int((delay / .seconds(1)).rounded(.up)))) s"
        }
    }

    /// Everything of one.
    package static func details(_ domain: DomainDescription) -> String {
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Name", domain.name.rawValue)
        table.add("Provider", domain.providerID.rawValue)
        table.add("State", state(of: domain))
        for (key, value) in domain.settings.sorted(by: { $0.key < $1.key }) { table.add("Setting", "\(key)=\(value)") }
        if let note = domain.note { table.add(note.isWarning ? "Warning" : "Note", ErrorText.visible(note.text)) }
        if let quota = domain.quota { table.add("Remote room", QuotaText.line(quota)) }
        table.add("Deletions ask", domain.rules.askingText)
        table.add("Look again", domain.rules.lookAgainText)
        return table.text(showsTitles: false) + (problem(of: domain) ?? "")
    }

    /// What is to be seen wherever the domain is shown.
    static func warning(of domain: DomainDescription) -> String? {
        guard let note = domain.note, note.isWarning else { return nil }
        return "\n\(domain.name): warning: \(ErrorText.visible(note.text))\n"
    }

    static func problem(of domain: DomainDescription) -> String? {
        let held = domain.heldDeletions.map { "\n" + HeldDeletionListing.text($0, of: domain.name) }.joined()
        guard let problem = domain.problem else { return held.isEmpty ? nil : held }
        let causes = ErrorText.causes(of: problem).map { "\n  because: \(ErrorText.visible($0))" }.joined()
        return "\n\(domain.name): \(ErrorText.visible(problem.message))\(causes)\n" + held
    }
}

extension ItemStatus {
    package var needsALook: Bool {
        problem != nil || state == .conflict || state == .nameClash || isInConflictElsewhere
    }

    /// The remote keeps sides of conflicts of other devices.
    private var isInConflictElsewhere: Bool { item.conflictVersions > 0 }

    /// Its contents, or newer ones, are not here, and do not come before it is resumed.
    var isHeldUp: Bool { marks.isPaused && (state == .placeholder || state == .outdated) }

    /// There is nothing to tell of it.
    package var isSettled: Bool {
        // What is outdated is brought when somebody opens it.
        [.materialised, .placeholder, .outdated].contains(state) && problem == nil && transfers.download == nil
            && transfers.upload == nil && !isInConflictElsewhere
    }
}

package enum StatusListing {
    /// - Parameter location: what it was asked of, if not of everything.
    package static func text(_ status: StorageStatus, of location: Location? = nil) -> String {
        guard !status.domains.isEmpty else { return DomainListing.text([]) }
        var table = Table([
            Table.Column(location?.isRoot == false ? "LOCATION" : "DOMAIN"), Table.Column("PROVIDER"),
            Table.Column("STATE"), Table.Column("KNOWN", .right), Table.Column("HERE", .right),
            Table.Column("BYTES", .right), Table.Column("UNSENT", .right), Table.Column("CONFLICTS", .right),
        ])
        for entry in status.domains {
            let name = location.flatMap { $0.isRoot ? nil : "\($0)" } ?? entry.domain.name.rawValue
            table.add(
                name, entry.domain.providerID.rawValue, DomainListing.state(of: entry.domain),
                "\(entry.items)", "\(entry.materialised)", Words.size(entry.materialisedBytes), "\(entry.unsent)",
                "\(entry.conflicts)")
        }
        var text = table.text() + status.domains.compactMap { DomainListing.problem(of: $0.domain) }.joined()
        text += status.domains.compactMap { DomainListing.warning(of: $0.domain) }.joined()
        let quotas = status.domains.reduce(into: [DomainName: ToldQuota]()) { $0[$1.domain.name] = $1.domain.quota }
        if !quotas.isEmpty {
            text += "\nRoom on the remote:\n"
            text += quotas.sorted { $0.key < $1.key }.map { "  \($0.key): \(QuotaText.line($0.value))\n" }.joined()
        }
        if !status.transfers.isEmpty { text += "\nTransfers: \(TransferText.line(status.transfers))\n" }
        let wrong = status.items.filter(\.needsALook)
        let settled = status.items.filter(\.isSettled)
        let underWay = status.items.filter { !$0.needsALook && !$0.isSettled }
        if !underWay.isEmpty { text += "\nUnder way:\n" + lines(underWay, quotas) }
        if !wrong.isEmpty { text += "\nNeeds a look:\n" + lines(wrong, quotas) }
        if !settled.isEmpty { text += "\n" + lines(settled, quotas) }
        if wrong.isEmpty, underWay.isEmpty,
            status.domains.allSatisfy({
                $0.domain.problem == nil && $0.domain.heldDeletions.isEmpty && $0.unsent == 0
            }), !settled.contains(where: \.isHeldUp)
        {
            text += "\nEverything is in sync.\n"
        }
        if !status.broughtFor.isEmpty {
            text += "\nBrought since the host's start, because it was opened:\n"
            text += status.broughtFor.map { brought in
                let count = brought.documents == 1 ? "1 document" : "\(brought.documents) documents"
                return "  \(brought.who): \(count), \(Words.size(brought.bytes)), last \(brought.last)\n"
            }.joined()
        }
        return text
    }

    private static func lines(_ items: [ItemStatus], _ quotas: [DomainName: ToldQuota]) -> String {
        items.map { item in
            let isFolder = item.item.kind.isFolder && item.state == .placeholder
            var text = "  \(item.location)  \(isFolder ? item.item.kind.rawValue : item.state.word)"
            for transfer in [item.transfers.download, item.transfers.upload] {
                if let transfer { text += ", \(TransferText.line(transfer))" }
            }
            text += "\n"
            if let problem = item.problem {
                text += "    \(ErrorText.visible(problem.message))\n"
                for cause in ErrorText.causes(of: problem) { text += "    because: \(ErrorText.visible(cause))\n" }
            }
            if item.transfers.upload?.wait == .remoteSpace, let quota = quotas[item.location.domain] {
                text += "    The remote has \(QuotaText.line(quota)).\n"
            }
            for (name, how) in TransferText.marks(item.marks) where name == "Kept" && item.marks.ignoredBy == nil {
                text += "    \(name) \(how).\n"
            }
            if item.isHeldUp || item.transfers.download?.wait == .resume || item.transfers.upload?.wait == .resume {
                let place = ShellWord.quoted(item.location.description)
                text +=
                    item.marks.isPausedItself
                    ? "    Paused: docent resume \(place) lets it go on.\n"
                    : "    Paused with a folder around it, or its domain: docent resume of that lets it go on.\n"
            }
            if let rule = item.marks.ignoredBy {
                text += "    Kept here by the ignore rule “\(rule)”: docent ignore \(item.location.domain)\n"
            }
            let place = ShellWord.quoted(item.location.description)
            let choice = "    \(VersionListing.choice(of: item.location))\n"
            if item.item.conflictVersions > 0 {
                text +=
                    "    Another device is in conflict over it; the remote keeps both sides: docent versions \(place)\n"
                if item.state != .conflict { text += choice }
            }
            if let other = item.conflictPath { text += "    The other side's contents: \(other)\n" + choice }
            if item.state == .nameClash {
                text += "    Not shown: another name in its folder is the same but for case or Unicode form.\n"
                text += "    Rename one of the two on the remote; it is shown then.\n"
            }
            return text
        }.joined()
    }
}

package enum HostListing {
    package static func text(_ status: HostStatus) -> String {
        var table = Table([Table.Column(""), Table.Column("")])
        table.add("Host", "process \(status.processID), release \(status.version), since \(Words.time(status.started))")
        table.add("Root", status.root)
        table.add("Memory", Words.size(status.memory))
        table.add(
            "Tools",
            "\(Words.count(status.connections, "connection", "connections")), \(Words.count(status.claims, "claim", "claims"))"
        )
        // Where the log goes is up to whoever has started it.
        table.add("Log", "\(HostAddress.log(below: status.root)); of a service: journalctl --user -u docentd")
        var text = table.text(showsTitles: false)
        if !status.findings.isEmpty {
            text += "\nNoticed:\n" + status.findings.map { "  \(ErrorText.visible($0))\n" }.joined()
        }
        return text
    }
}
