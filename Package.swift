// swift-tools-version: 6.2
//
// Targets are listed by layer, the lowest first; a target may depend only on targets above it in this file
// within its own package (that is: on lower layers). Tests and fixtures come last. Settings that all our
// targets share are applied in one loop at the end.

import PackageDescription

let package = Package(
    name: "Docent",
    products: [
        .library(name: "DocumentModel", targets: ["DocumentModel"]),
        .library(name: "DocumentProvider", targets: ["DocumentProvider"]),
        .library(name: "DocumentHost", targets: ["DocumentHost"]),
        .library(name: "DocumentClient", targets: ["DocumentClient"]),
        .library(name: "ProviderConformance", targets: ["ProviderConformance"]),
        .executable(name: "docent", targets: ["docent"]),
        .executable(name: "docentd", targets: ["docentd"]),
        .executable(name: "docent-trampoline", targets: ["docent-trampoline"]),
        .executable(name: "misbehaving-peer", targets: ["misbehaving-peer"]),
        .executable(name: "provider-conformance", targets: ["provider-conformance"]),
        .executable(name: "docent-simulate", targets: ["docent-simulate"]),
        .executable(name: "docent-simulate-hosts", targets: ["docent-simulate-hosts"]),
        .executable(name: "FolderProvider", targets: ["FolderProvider"]),
        .executable(name: "MemoryProvider", targets: ["MemoryProvider"]),
        .executable(name: "WebDAVProvider", targets: ["WebDAVProvider"]),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/kylef/PathKit", from: "1.0.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ],
    targets: [
        // Layer 0: the system calls that swift-system lacks, libcrypto's digests, libarchive's ZIP files, Expat's XML, mounts, and
        // the desktop's keyring.
        .target(name: "CDocentShims"),
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLibArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .systemLibrary(name: "CLibExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(name: "CSecretService", linkerSettings: [.linkedLibrary("systemd")]),

        // Layer 1: values, and the wire that carries them.
        .target(name: "DocumentModel"),
        .target(
            name: "DocumentWire",
            dependencies: ["DocumentModel", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["Protos"]
        ),

        // Layer 2: what the machine knows of document types; frames over pipes and sockets.
        .target(name: "DocumentTypes", dependencies: ["DocumentModel"]),
        .target(
            name: "DocumentTransport",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Layer 3: the provider's side, and the host's parts, which do not know each other.
        .target(
            name: "DocumentProvider",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "ProviderLauncher",
            dependencies: [
                "CDocentShims", "CLibCrypto", "DocumentModel", "DocumentWire", "DocumentTransport", "PathKit",
                "TOMLKit",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "DocumentStorage",
            dependencies: [
                "CDocentShims", "CLibCrypto", "CLibArchive", "CSecretService", "DocumentModel",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(name: "FileCoordination", dependencies: ["DocumentModel"]),
        .target(name: "DocumentSync", dependencies: ["DocumentModel"]),

        // Layer 4: the host.
        .target(
            name: "DocumentHost",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "ProviderLauncher",
                "DocumentStorage", "FileCoordination", "DocumentSync", "DocumentTypes",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Layer 5: the two sides of the host's socket.
        .target(
            name: "DocumentService",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentStorage", "DocumentHost",
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "DocumentClient",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // The client as a file system; above the client, below the commands.
        .target(
            name: "DocumentMount",
            dependencies: [
                "CDocentShims", "CFuse", "DocumentModel", "DocumentTransport", "DocumentClient",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),

        // Layer 6: the commands of the CLI.
        .target(
            name: "DocentCommands",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentTransport", "DocumentClient", "DocumentMount",
                "DocumentTypes",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        // Layer 7: executables of a few lines.
        .executableTarget(name: "docent", dependencies: ["DocentCommands"]),
        .executableTarget(
            name: "docentd",
            dependencies: ["DocumentService"]
        ),
        .executableTarget(name: "docent-trampoline"),

        // Providers and hosts that break the rules, one a behaviour: what hosts and providers are judged with. It shares
        // no code with what it tries out.
        .executableTarget(name: "misbehaving-peer"),

        // What providers are judged by.
        .target(
            name: "ProviderConformance",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "ProviderLauncher",
                "DocumentClient", "TOMLKit",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "provider-conformance",
            dependencies: [
                "DocumentModel", "ProviderConformance",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // The sync engine among machines that fail, in virtual time: run through scripts/simulate.
        .target(name: "DocumentSimulator", dependencies: ["DocumentModel", "DocumentSync"]),
        .executableTarget(
            name: "docent-simulate",
            dependencies: [
                "DocumentSimulator", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Whole hosts over one provider, on one thread and in virtual time: run through scripts/simulate-hosts. What is linked
        // with the C target makes some of the C library's calls by itself.
        .target(name: "CHostSimulation"),
        .target(
            name: "HostSimulator",
            dependencies: [
                "CHostSimulation", "CLibCrypto", "DocumentModel", "DocumentTransport", "DocumentProvider",
                "DocumentStorage", "DocumentHost", "DocumentSimulator",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "docent-simulate-hosts",
            dependencies: ["HostSimulator", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),

        // The provider extensions that we ship, and what third parties would write.
        .executableTarget(
            name: "FolderProvider",
            dependencies: [
                "CDocentShims", "CLibCrypto", "DocumentModel", "DocumentProvider",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Plugins/FolderProvider",
            exclude: ["provider.toml"]
        ),
        .executableTarget(
            name: "WebDAVProvider",
            dependencies: [
                "CDocentShims", "CLibExpat", "DocumentModel", "DocumentProvider",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Plugins/WebDAVProvider",
            exclude: ["provider.toml"]
        ),
        .executableTarget(
            name: "MemoryProvider",
            dependencies: ["DocumentProvider"],
            path: "Examples/MemoryProvider",
            exclude: ["provider.toml"]
        ),

        // What is measured, beside the floors of the machine: run through scripts/bench.
        .executableTarget(
            name: "docent-benchmarks",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentStorage",
                "FileCoordination", "DocumentProvider", "DocumentClient",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks"
        ),

        // What takes bytes from outside, under libFuzzer: run through scripts/fuzz.
        .target(name: "CFuzzDriver", path: "Fuzzing/CFuzzDriver"),
        .target(
            name: "DocumentFuzzing",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentProvider", "ProviderLauncher",
                "DocumentStorage", "DocumentHost", "DocumentService", "DocumentClient", "ProviderConformance",
                "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Fuzzing/Targets"
        ),
        .executableTarget(
            name: "docent-fuzz", dependencies: ["CFuzzDriver", "DocumentFuzzing"], path: "Fuzzing/Driver"
        ),

        // The README's first provider and first host tool.
        .executableTarget(
            name: "GreetingProvider",
            dependencies: ["DocumentProvider"],
            path: "Examples/GreetingProvider",
            exclude: ["provider.toml"]
        ),
        .executableTarget(name: "WordCount", dependencies: ["DocumentClient"], path: "Examples/WordCount"),
        .executableTarget(name: "LiveCount", dependencies: ["DocumentClient"], path: "Examples/LiveCount"),

        // Fixtures and tests.
        .executableTarget(
            name: "MistakenProvider",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentProvider",
                "ProviderLauncher",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Fixtures/MistakenProvider",
            exclude: ["provider.toml", "conformance.toml"]
        ),
        // Sleeps, detaches tasks and fills queues while it answers.
        .executableTarget(
            name: "DispatchingProvider",
            dependencies: ["DocumentProvider"],
            path: "Tests/Fixtures/DispatchingProvider"
        ),
        .target(
            name: "DocumentTestSupport",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentStorage", "PathKit",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/DocumentTestSupport"
        ),
        // Tries what a sandbox refuses.
        .executableTarget(name: "escaping-provider", path: "Tests/Fixtures/EscapingProvider"),
        // Runs a program as on a kernel that cannot confine it.
        .executableTarget(name: "without-landlock", path: "Tests/Fixtures/WithoutLandlock"),
        .testTarget(name: "DocumentModelTests", dependencies: ["DocumentModel"]),
        .testTarget(name: "DocumentWireTests", dependencies: ["DocumentModel", "DocumentWire"]),
        .testTarget(
            name: "DocumentTransportTests",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentTestSupport", "CDocentShims",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DocumentProviderTests",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentProvider", "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ProviderLauncherTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "ProviderLauncher",
                "DocumentTestSupport", "docent-trampoline", "escaping-provider", "DispatchingProvider",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "ProviderConformanceTests",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "ProviderLauncher", "ProviderConformance",
                "DocumentTestSupport", "docent-trampoline", "provider-conformance", "MemoryProvider",
                "GreetingProvider", "FolderProvider", "MistakenProvider", "misbehaving-peer", "docentd",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DocumentStorageTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentStorage", "DocumentTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DocumentClientTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentClient",
                "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DocentCommandsTests",
            dependencies: [
                "DocumentModel", "DocumentTypes", "DocumentClient", "DocentCommands",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(
            name: "DocumentMountTests",
            dependencies: [
                "DocumentModel", "DocumentMount", .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(name: "DocumentTypesTests", dependencies: ["DocumentModel", "DocumentTypes"]),
        // Random histories of claims and presenters: scripts/check-coordination runs a million of them.
        .executableTarget(
            name: "CoordinationHistories",
            dependencies: ["DocumentModel", "FileCoordination"],
            path: "Tests/CoordinationHistories"
        ),
        .testTarget(
            name: "FileCoordinationTests", dependencies: ["DocumentModel", "FileCoordination", "CoordinationHistories"]
        ),
        .testTarget(name: "FuzzingTests", dependencies: ["DocumentFuzzing"]),
        .testTarget(name: "DocumentSyncTests", dependencies: ["DocumentModel", "DocumentSync", "DocumentSimulator"]),
        .testTarget(
            name: "FolderProviderTests",
            dependencies: [
                "FolderProvider", "DocumentModel", "DocumentProvider", "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "WebDAVProviderTests",
            dependencies: [
                "WebDAVProvider", "DocumentModel", "DocumentProvider", "DocumentSync", "DocumentSimulator",
                "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "DocumentHostTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentProvider",
                "ProviderLauncher",
                "DocumentStorage", "FileCoordination", "DocumentSync", "DocumentHost", "DocumentTestSupport",
                "docent-trampoline", "FolderProvider",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // The examples from outside, as any host sees them: processes that speak frames.
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentTestSupport", "MemoryProvider",
                "docent", "docentd", "docent-trampoline",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // A host tool that holds, nests and presents what it is told to, for the tests between processes.
        .executableTarget(
            name: "CoordinationPeer",
            dependencies: ["DocumentModel", "DocumentClient"],
            path: "Tests/EndToEndTests/Support/CoordinationPeer"
        ),
        // The whole product from outside: built executables, real processes, one temporary root a test.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentClient", "DocumentTestSupport",
                "docent", "docentd", "docent-trampoline", "FolderProvider", "WebDAVProvider", "MemoryProvider",
                "GreetingProvider", "WordCount", "CoordinationPeer", "provider-conformance", "without-landlock",
                "misbehaving-peer",
                "ProviderConformance",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: [
                "Support/CuriousProvider", "Support/TellingProvider", "Support/CoordinationPeer",
                "Support/RecordingProvider", "Support/PromptingProvider", "Support/RemoteTree",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

let writtenInC = ["docent-trampoline", "escaping-provider", "without-landlock"]
for target in package.targets where target.type != .system && !writtenInC.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
