package import SystemPackage

/// The folders of one domain's provider, and those that no provider may be given.
package struct SandboxFolders: Hashable, Sendable {
    /// The provider's own, kept; also its home and its working folder.
    package var state: FilePath
    /// The provider's own, for what need not last.
    package var temporary: FilePath
    /// What it is to fill.
    package var fetch: FilePath
    /// What it is to take.
    package var send: FilePath
    /// The document storage root: of it a provider gets the folders above, and nothing else.
    package var storageRoot: FilePath
    /// The user's. No provider may change the whole of it: with its startup files goes all that the user can do.
    package var home: FilePath?
    /// Of providers and of Docent's programs: no provider may change any of them, nor make one that is not there yet.
    package var software: [FilePath]
    /// Programs of providers, wherever they are.
    package var programs: [FilePath]
    /// Of the host's socket: whoever may change it can answer tools in the host's place.
    package var socketFolder: FilePath?

    package init(
        state: FilePath, temporary: FilePath, fetch: FilePath, send: FilePath, storageRoot: FilePath,
        home: FilePath? = nil, software: [FilePath] = [], programs: [FilePath] = [], socketFolder: FilePath? = nil
    ) {
        self.state = state
        self.temporary = temporary
        self.fetch = fetch
        self.send = send
        self.storageRoot = storageRoot
        self.home = home
        self.software = software
        self.programs = programs
        self.socketFolder = socketFolder
    }
}
