import DocumentModel
package import DocumentStorage
import Glibc
package import ProviderLauncher
public import SystemPackage

extension DocumentHost {
    /// Where things are, and how patient the host is.
    public struct Configuration: Sendable {
        /// The document storage root; made when it is missing.
        public var root: FilePath
        /// Folders of provider bundles.
        public var providerFolders: [FilePath]
        /// Further bundles, by their own path.
        public var providerBundles: [FilePath]
        /// The program that starts providers, so that they cannot outlive the host.
        public var trampoline: FilePath
        /// The folder of the socket that tools find the host by, if there is one: no provider may change it.
        public var socketFolder: FilePath?
        /// How long an unused provider process is kept.
        public var providerIdleTime: Duration = .seconds(300)
        /// Whether orphans among this process's descendants come to it, and every child process that is no provider is
        /// killed: for when the program that watches over a provider is itself killed. Only for a program that starts
        /// no processes of its own, as `docentd`.
        public var adoptsOrphans = false
        /// Whether providers are started where the kernel has no Landlock, and nothing keeps them to the files that
        /// they ask for, or one that is too old for what they ask for. The user's to decide.
        public var allowsUnsandboxedProviders = false
        /// Whether programs that nobody registered count as the user's own, and may do what the user may. Else they may do
        /// nothing, but for the command line tool beside the trampoline.
        public var admitsUnregisteredTools = true
        /// Where is kept what domains sign in with. A program that embeds a host has it in files.
        package var secrets = KeptSecrets.Choice.files
        /// Which documents come part by part.
        package var parts = PartwiseFetch.Limits()
        /// How long what is known of thumbnails is taken to be so.
        var thumbnails = ThumbnailDesk.Pace()
        /// How long others who use an item are waited for when something is to be done at once with it: whoever asks for that
        /// holds up others meanwhile.
        public var claimPatience = Duration.seconds(5)
        /// After which outdated contents that could not leave are tried again, at first.
        var outdatedPatience = Duration.seconds(30)
        /// What this device is called, for people on other devices who find contents that were saved here (VER-9).
        public var deviceName = Self.nodeName
        /// Where providers are found instead of in processes: the other end of the connection to a domain's. Nil: they are
        /// processes.
        package var link: ProviderLink?
        /// Who we are, for providers' logs.
        public var software: String

        public init(
            root: FilePath, providerFolders: [FilePath], providerBundles: [FilePath] = [], trampoline: FilePath,
            software: String
        ) {
            self.root = root
            self.providerFolders = providerFolders
            self.providerBundles = providerBundles
            self.trampoline = trampoline
            self.software = software
        }

        /// What this machine is called in its network.
        private static var nodeName: String {
            var name = utsname()
            guard uname(&name) == 0 else { return "" }
            return withUnsafeBytes(of: name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }

        /// The usual places: bundles of the user, of the system and beside the executable, the trampoline beside it,
        /// and what the environment names.
        public init(root: FilePath, executable: FilePath, providerBundles: [FilePath] = [], software: String) {
            let environment = ["XDG_DATA_HOME", "HOME", ProviderCatalogue.environmentKey].reduce(into: [:]) {
                values, name in
                values[name] = getenv(name).map { String(cString: $0) }
            }
            self.init(
                root: root,
                providerFolders: ProviderCatalogue.standardFolders(environment: environment, executable: executable),
                providerBundles: providerBundles + ProviderCatalogue.explicitBundles(environment: environment),
                trampoline: executable.removingLastComponent().appending("docent-trampoline"), software: software)
        }
    }
}
