package import DocumentModel
package import SystemPackage

extension SandboxPolicy {
    /// The same policy with paths as they are on this machine right now: without symbolic links, without what is not
    /// there, and without giving away what is nobody's to give. Blocks.
    ///
    /// - Parameter mounts: where documents are mounted as files. What lies there is not even looked at.
    /// - Throws: ``DocumentError`` with the code `notConfigured`, that names the path and what to choose instead.
    package func resolved(
        for bundle: ProviderBundle, folders: SandboxFolders, mounts: [FilePath] = [],
        realPath: (FilePath) -> FilePath? = Self.realPath
    ) throws(DocumentError) -> SandboxPolicy {
        func checkMounts(_ grant: Grant, at path: @autoclosure () -> FilePath) throws(DocumentError) {
            guard grant.origin == .manifest, !mounts.isEmpty else { return }
            let place = path()
            // A folder is granted with what is mounted in it: a mount there would show all domains' documents.
            guard let mount = mounts.first(where: { place.isInside($0) || $0.isInside(place) }) else { return }
            var refusal = Self.refusal(of: grant, bundle, "Docent's own mount at “\(mount)”")
            // It is over when that is unmounted.
            refusal.code = .serverUnreachable
            throw refusal
        }
        let places = folders.resolved(by: realPath)
        var resolved = self
        resolved.grants = []
        var seen: Set<Grant> = []
        for grant in grants {
            try checkMounts(grant, at: grant.path.lexicallyNormalized())
            guard let real = realPath(grant.path) else {
                if grant.origin == .manifest { resolved.missing.append(grant.path) }
                continue
            }
            try checkMounts(grant, at: real)
            if let what = places.loss(by: grant, at: real, bundle: bundle.folder) {
                throw Self.refusal(of: grant, bundle, what)
            }
            var found = grant
            found.path = real
            if seen.insert(found).inserted { resolved.grants.append(found) }
        }
        return resolved
    }

    private static func refusal(of grant: Grant, _ bundle: ProviderBundle, _ what: String) -> DocumentError {
        let name = "\(bundle.manifest.name) (\(bundle.manifest.identifier))"
        guard grant.origin == .manifest else {
            return DocumentError(
                .notConfigured,
                "The provider \(name) cannot be confined: “\(grant.path)”, which it has to read, has to do with \(what). Give the provider a folder of its own."
            )
        }
        let verb = grant.access == .write ? "change" : "read"
        return DocumentError(
            .notConfigured,
            "The provider \(name) may not \(verb) “\(grant.path)”, because that has to do with \(what): choose another folder."
        )
    }

    /// Whether it would grant more if it were resolved now. Blocks.
    package static func isThereNow(anyOf missing: [FilePath]) -> Bool { missing.contains { realPath($0) != nil } }

    /// Nil when it does not exist.
    package static func realPath(_ path: FilePath) -> FilePath? { path.withoutLinks }
}

extension SandboxFolders {
    fileprivate func resolved(by realPath: (FilePath) -> FilePath?) -> SandboxFolders {
        var resolved = self
        resolved.storageRoot = realPath(storageRoot) ?? storageRoot
        resolved.home = home.flatMap(realPath)
        resolved.software = software.map { Self.place($0, by: realPath) }
        resolved.programs = programs.map { Self.place($0, by: realPath) }
        resolved.socketFolder = socketFolder.map { Self.place($0, by: realPath) }
        return resolved
    }

    /// Where it is, or will be when somebody makes it.
    private static func place(_ path: FilePath, by realPath: (FilePath) -> FilePath?) -> FilePath {
        if let real = realPath(path) { return real }
        let text = path.lexicallyNormalized().string
        var above = FilePath(text)
        while above != "/" {
            above = above.folderAround
            guard let real = realPath(above) else { continue }
            return FilePath("\(real)/\(text.dropFirst(above.string.count))")
        }
        return path
    }

    /// What a grant would give away, in words; nil when it is harmless.
    fileprivate func loss(by grant: SandboxPolicy.Grant, at path: FilePath, bundle: FilePath) -> String? {
        func overlaps(_ place: FilePath) -> Bool { place.isInside(path) || path.isInside(place) }
        let isOwn = grant.origin == .own && [state, temporary, fetch, send].contains(grant.path)
        // The user's bundles are in the usual storage root, beside the documents and what is Docent's own.
        var isInstalled: Bool {
            let installed = storageRoot.appending("providers")
            return grant.origin == .own && grant.path.isInside(bundle) && path.isInside(installed) && path != installed
        }
        if !isOwn, overlaps(storageRoot), !isInstalled { return "Docent's own storage in “\(storageRoot)”" }
        let isHome = home?.isInside(path) == true
        if grant.origin == .own, grant.path == bundle, isHome { return "your home folder" }
        guard grant.origin == .manifest, grant.access == .write else { return nil }
        if isHome { return "your whole home folder, with which it could do all that you can" }
        if let program = programs.first(where: overlaps) { return "the program “\(program)”" }
        if let socketFolder, overlaps(socketFolder) { return "the host's own socket in “\(socketFolder)”" }
        return software.first(where: overlaps).map { "the programs in “\($0)”" }
    }
}
