internal import CDocentShims
package import SystemPackage

/// What programs need of a system to run at all: installed software, and the few files that the C library looks into.
/// None of it is the user's.
package struct SystemFiles: Hashable, Sendable {
    package var readable: [FilePath]
    package var loaders: [FilePath]
    package var devices: [FilePath]
    /// For names of computers, and for who is to be trusted.
    package var ofNetwork: [FilePath]

    package static let standard = SystemFiles(
        readable: [
            "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/ld.so.conf",
            "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/mime.types",
            "/dev/random", "/dev/urandom", "/dev/zero", "/sys/devices/system/cpu",
        ] + swiftRuntime,
        loaders: [
            "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1",
            "/lib/ld-musl-aarch64.so.1",
        ],
        devices: ["/dev/null"],
        ofNetwork: [
            "/etc/resolv.conf", "/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/etc/hosts",
            "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/ssl",
            "/etc/ca-certificates", "/etc/pki", "/etc/crypto-policies",
        ])

    /// Where a distribution keeps an interpreter's own configuration: `/etc/python3.11`.
    func configuration(of interpreter: FilePath) -> [FilePath] {
        guard let name = interpreter.lastComponent, name.string.hasPrefix("python") else { return [] }
        return [FilePath("/etc").appending(name)]
    }

    /// The folder of the Swift library that this host itself was loaded with, which providers of the same toolchain
    /// share; none when it is part of the program.
    private static let swiftRuntime: [FilePath] = {
        guard let name = docent_library_of("swift_retain") else { return [] }
        let library = FilePath(platformString: name)
        guard library.lastComponent?.stem == "libswiftCore" else { return [] }
        return [library.removingLastComponent()]
    }()
}
