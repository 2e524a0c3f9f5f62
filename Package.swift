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
        .executable(name: "docent", targets: ["docent"]),
        .executable(name: "docentd", targets: ["docentd"]),
        .executable(name: "docent-trampoline", targets: ["docent-trampoline"]),
        .executable(name: "FolderProvider", targets: ["FolderProvider"]),
        .executable(name: "MemoryProvider", targets: ["MemoryProvider"]),
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
    ],
    targets: [
        // Layer 0: the system calls that swift-system lacks, and libcrypto's digests.
        .target(name: "CDocentShims"),
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // Layer 1: values, and the wire that carries them.
        .target(name: "DocumentModel"),
        .target(
            name: "DocumentWire",
            dependencies: ["DocumentModel", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["Protos"]
        ),

        // Layer 2: frames over pipes and sockets.
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
                "CDocentShims", "CLibCrypto", "DocumentModel",
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
                "DocumentStorage", "FileCoordination", "DocumentSync",
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

        // Layer 6: the commands of the CLI.
        .target(
            name: "DocentCommands",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentClient",
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

        // The provider extensions that we ship, and what third parties would write.
        .executableTarget(
            name: "FolderProvider",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentProvider",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Plugins/FolderProvider",
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
                "CDocentShims", "DocumentModel", "DocumentTransport", "DocumentStorage", "DocumentClient",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks"
        ),

        // The README's first provider and first host tool.
        .executableTarget(
            name: "GreetingProvider",
            dependencies: ["DocumentProvider"],
            path: "Examples/GreetingProvider",
            exclude: ["provider.toml"]
        ),
        .executableTarget(name: "WordCount", dependencies: ["DocumentClient"], path: "Examples/WordCount"),

        // Fixtures and tests.
        .target(
            name: "DocumentTestSupport",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentStorage", "PathKit",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/DocumentTestSupport"
        ),
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
                "DocumentTestSupport",
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
                "DocumentModel", "DocumentClient", "DocentCommands",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        .testTarget(name: "FileCoordinationTests", dependencies: ["DocumentModel", "FileCoordination"]),
        .testTarget(name: "DocumentSyncTests", dependencies: ["DocumentModel", "DocumentSync"]),
        .testTarget(
            name: "FolderProviderTests",
            dependencies: [
                "FolderProvider", "DocumentModel", "DocumentProvider", "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "DocumentHostTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentWire", "DocumentTransport", "ProviderLauncher",
                "DocumentStorage", "FileCoordination", "DocumentSync", "DocumentHost", "DocumentTestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // The examples from outside, as any host sees them: processes that speak frames.
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "DocumentModel", "DocumentWire", "DocumentTransport", "DocumentTestSupport", "MemoryProvider",
                .product(name: "SystemPackage", package: "swift-system"),
            ]
        ),
        // The whole product from outside: built executables, real processes, one temporary root a test.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "CDocentShims", "DocumentModel", "DocumentClient", "DocumentTestSupport",
                "docent", "docentd", "docent-trampoline", "FolderProvider", "MemoryProvider", "GreetingProvider",
                "WordCount",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Support/HostileProvider"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "docent-trampoline" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .treatAllWarnings(as: .error),
        ]
}
