// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MemoryProvider",
    dependencies: [
        DOCENT_DEPENDENCY
    ],
    targets: [
        .executableTarget(
            name: "MemoryProvider",
            dependencies: [.product(name: "DocumentProvider", package: "DOCENT_PACKAGE")]
        )
    ]
)
