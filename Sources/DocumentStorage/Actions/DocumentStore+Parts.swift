package import DocumentModel
internal import Glibc
internal import SystemPackage

/// Contents that come part by part, and go on where they were interrupted (DOWN-10).
extension DocumentStore {
    /// The same as ``beginMaterialising(_:in:)``, of contents that come in parts: what an earlier transfer has left of
    /// this version is there already. Parts of an earlier life of the machine are unsure: they count when they were read again
    /// (``isAsRecorded(part:of:)``, ``keep(all:but:)``).
    ///
    /// - Parameters:
    ///   - size: of the whole, in bytes.
    ///   - now: in seconds since 1970.
    package func beginMaterialising(
        _ id: ItemIdentifier, in domain: DomainName, version: [UInt8], size: Int64, partSize: Int64, now: Int64
    ) throws -> Materialisation {
        if let (request, file, partial) = try reusable(id, in: domain, version: version, size: size, partSize: partSize)
        {
            return try beginMaterialising(id, in: domain, request, file) {
                guard try $0.isKept(partial) else {
                    throw DocumentError(.busy, "What has come of it was dropped just now; try again.", itemID: id)
                }
                try $0.used(partial, now: now)
                try $0.belongs(partial, to: partial.boot)
                return partial
            }
        }
        let request = try root.staging.makeRequest(.fetching(domain))
        return try takingBack {
            try remove(request, of: domain)
        } _: {
            let file = try request.makeFile(size: size)
            let partial = PartialContents(
                number: 0, itemID: id, version: version, size: size, partSize: partSize, staging: request.name,
                inode: file.identity.inode, boot: root.boot ?? "")
            return try beginMaterialising(id, in: domain, request, file) {
                try $0.add(partial, in: domain, now: now)
            }
        }
    }

    /// Whether what is still to come of contents that come in parts has room on the disk. What has none would fill it, for all
    /// programs of this machine, before it failed.
    ///
    /// - Parameter size: of the whole, in bytes.
    /// - Returns: nil when it has, or when nobody can tell; else what people are told.
    package func lackOfRoom(for id: ItemIdentifier, in domain: DomainName, size: Int64) throws -> DocumentError? {
        let (location, left, trashed) = try index.read { index in
            let partial = try index.partialContents(of: id, in: domain)
            let here = partial.map { partial in
                partial.digests.keys.reduce(Int64(0)) { $0 + Int64(partial.bytes(of: $1).count) }
            }
            return (try index.located(id, in: domain).location, size - (here ?? 0), try index.trashStatus().bytes)
        }
        guard var room = try? root.room(), room.all > 0, room.available < left else { return nil }
        let lack = UInt64(left - room.available)
        // Somebody may have removed what is there to have room.
        if trashed >= lack, (try? trimTrash(freeing: lack)) == true, let now = try? root.room() { room = now }
        guard room.available < left else { return nil }
        return DocumentError(
            .localStorage,
            "\(location) needs \((left + 999_999) / 1_000_000) MB of this machine's disk, which has \(room.available / 1_000_000) MB left. \(DocumentError.freeSomeSpace)",
            itemID: id)
    }

    /// Whether a part that came in an earlier life of the machine is what it was.
    package func isAsRecorded(part: Int, of materialisation: Materialisation) throws -> Bool {
        guard let digest = materialisation.partial?.unsure[part], !digest.isEmpty else { return false }
        return try isAsRecorded(part: part, digest, of: materialisation)
    }

    private func isAsRecorded(part: Int, _ digest: [UInt8], of materialisation: Materialisation) throws -> Bool {
        guard let partial = materialisation.partial else { return false }
        let request = try self.request(named: materialisation.file.request)
        do {
            return try request.digests(
                of: [partial.bytes(of: part)], in: materialisation.file, size: partial.size) == [digest]
        } catch let error as DocumentError where error.code == .contractBroken {
            return false
        }
    }

    /// What came in an earlier life of the machine was looked at.
    ///
    /// - Parameter lost: the parts that are not what they were.
    package func keep(all materialisation: Materialisation, but lost: Set<Int>) throws -> Materialisation {
        guard var partial = materialisation.partial else { return materialisation }
        partial.digests = partial.unsure.filter { !lost.contains($0.key) }
        partial.unsure = [:]
        partial.boot = root.boot ?? ""
        try index.write(durably: false) { [partial] index in
            for part in lost { try index.removePart(part, of: partial) }
            try index.belongs(partial, to: partial.boot)
        }
        var materialisation = materialisation
        materialisation.partial = partial
        return materialisation
    }

    /// Parts have come: looks at them, and writes down that they are here.
    ///
    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - digesting: whether they are to outlive the machine's life: what has no digest cannot be told from what never reached
    ///     the disk.
    /// - Throws: `contractBroken` when they are not.
    package func record(
        parts: Range<Int>, of materialisation: Materialisation, now: Int64, digesting: Bool = true
    ) throws {
        guard let partial = materialisation.partial else { return }
        let request = try self.request(named: materialisation.file.request)
        let digests = try request.digests(
            of: parts.map(partial.bytes(of:)), in: materialisation.file, size: partial.size, digesting: digesting)
        // Need not survive the machine: what is not known to be here comes again.
        try index.write(durably: false) { index in
            for (part, digest) in zip(parts, digests) { try index.addPart(part, digest: digest, to: partial) }
            try index.used(partial, now: now)
        }
    }

    /// All parts have come, and nobody writes any more: what is to be looked at again before they are a document, as a late
    /// write may have changed what was there before the last part came.
    ///
    /// - Returns: nil when no part has a digest.
    /// - Throws: `contractBroken` when somebody can still write.
    package func settle(_ materialisation: Materialisation) throws -> SettledParts? {
        guard let partial = materialisation.partial else { return nil }
        let digests = try index.read { index in
            try index.partialContents(of: partial.itemID, in: materialisation.item.domain)?.digests ?? [:]
        }.filter { !$0.value.isEmpty }
        guard !digests.isEmpty else { return nil }
        let request = try self.request(named: materialisation.file.request)
        return SettledParts(file: try request.settled(materialisation.file), digests: digests)
    }

    /// Looks at a part again.
    ///
    /// - Throws: `contractBroken` when it is not what it was when it came.
    package func verify(part: Int, in settled: SettledParts, of materialisation: Materialisation) throws {
        guard let digest = settled.digests[part] else { return }
        guard try isAsRecorded(part: part, digest, of: materialisation) else {
            throw try self.request(named: materialisation.file.request).changedAfterwards
        }
    }

    /// The transfer has ended before everything was here: what has come stays for the next one. The item is what it was
    /// before, with the error as its problem. The file stays before the first part has come, too: programs may have it open
    /// since the first bytes came, and are to read on in it.
    package func interrupt(_ materialisation: Materialisation, because error: DocumentError?) throws {
        guard let partial = materialisation.partial, try index.read({ try $0.isKept(partial) }) else {
            return try abandon(materialisation, because: error)
        }
        do {
            try abandon(materialisation, because: error, keepingParts: true)
        } catch let full as DocumentError where full.isOutOfSpace {
            // Nothing can be written down before there is room: that of the parts.
            try abandon(materialisation, because: error)
        }
    }

    /// Drops parts that nobody is going to go on with: of other versions than the provider's, of items that are gone, and
    /// of transfers that were last tried before a time.
    ///
    /// - Parameter before: in seconds since 1970.
    package func dropNeedlessParts(before: Int64 = .min) throws {
        for partial in try index.read({ try $0.needlessParts(before: before) }) { try drop(partial) }
    }

    /// Drops what has come of an item whose contents are not here, and that is not coming just now.
    package func dropParts(of id: ItemIdentifier, in domain: DomainName) throws {
        if let partial = try index.read({ try $0.partialContents(of: id, in: domain) }) { try drop(partial) }
    }

    /// The row first: a file without one is swept. Where there is no room to write that, the file: a row without one is
    /// nothing. What is coming just now stays.
    private func drop(_ partial: PartialContents) throws {
        do {
            let isDropped = try index.write(durably: false) { index in
                guard try !index.isComing(partial) else { return false }
                try index.remove(partial)
                return true
            }
            if isDropped { discard(request: partial.staging) }
        } catch let error as DocumentError where error.isOutOfSpace {
            guard try !index.read({ try $0.isComing(partial) }) else { return }
            discard(request: partial.staging)
            try index.write(durably: false) { try $0.remove(partial) }
        }
    }

    private func reusable(
        _ id: ItemIdentifier, in domain: DomainName, version: [UInt8], size: Int64, partSize: Int64
    ) throws -> (StagingRequest, StagedFile, PartialContents)? {
        guard var partial = try index.read({ try $0.partialContents(of: id, in: domain) }) else { return nil }
        guard partial.version == version, partial.size == size, partial.partSize == partSize,
            let request = try root.staging.request(named: partial.staging), let file = try request.existingFile(),
            file.identity.inode == partial.inode, file.identity.size == size,
            // One that was withdrawn from its provider lies elsewhere.
            access(file.path.string, F_OK) == 0
        else {
            try drop(partial)
            return nil
        }
        // What the machine's last life had not brought to the disk is not there.
        if root.boot == nil || partial.boot != root.boot {
            (partial.unsure, partial.digests) = (partial.digests, [:])
            // Of that of which nothing had come nothing is unsure: all is of this life.
            if partial.unsure.isEmpty { partial.boot = root.boot ?? "" }
        }
        return (request, file, partial)
    }
}
