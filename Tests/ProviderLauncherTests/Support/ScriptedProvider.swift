import DocumentModel
import DocumentWire
import Logging
import SystemPackage

@testable import ProviderLauncher

/// A provider made of a shell script and of frames that were written beforehand.
///
/// The script may use `next` (waits for the host to send something; fails at the end of the stream), `greet` (hello and
/// identity), `count` (prints how often it was started, this time included) and `send NAME` for the frames in ``frames``.
struct ScriptedProvider {
    static let preface: [UInt8] = [0x89, 0x44, 0x4F, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The default greets, and ends at the first thing after that: the shutdown.
    var script = "greet; next"
    /// Sent as they are.
    var frames: [String: [UInt8]] = [:]
    var capabilities: Set<ProviderCapability> = []
    var identity = "org.example.photos"
    var version: UInt32 = 1
    var manifest: [String: String] = [:]
    var tables = ""

    /// Installs it in a folder and reads it back as the host does.
    func install(in folder: TemporaryFolder) throws -> ProviderBundle {
        let hello = Self.frame(id: 0, kind: 3, helloReply)
        let reply = ProviderReply.identity(try ProviderIdentifier(identity), version: "1")
        try folder.bytes("bundle/hello", Self.preface + hello)
        try folder.bytes("bundle/identity", Self.answer(1, reply))
        for (name, bytes) in frames { try folder.bytes("bundle/\(name)", bytes) }
        try folder.file(
            "bundle/provider",
            """
            #!/bin/sh
            here=${0%/*}
            next() { test "$(dd bs=65536 count=1 2>/dev/null | wc -c)" -gt 0; }
            send() { cat "$here/$1"; }
            greet() { next && send hello && next && send identity; }
            count() { wc -l < "$here/starts"; }
            echo $$ >> "$here/starts"
            \(script)
            """, mode: 0o755)
        var manifest = manifest
        manifest["executable"] = "\"provider\""
        try folder.file("bundle/provider.toml", ManifestTests.text(manifest, tables: tables))
        return try ProviderBundle.load(folder: folder.path.appending("bundle"))
    }

    private var helloReply: [UInt8] {
        let context = SessionCapabilities(capabilities: capabilities).serialized()
        return (version == 0 ? [] : [1 << 3] + Self.varint(UInt64(version)))
            + Self.field(4, Array("scripted 1".utf8)) + Self.field(5, [UInt8(max(version, 9))]) + Self.field(6, context)
    }

    /// The answer to the request with an id; the host's are 1 (identity), 3, 5, …
    static func answer(_ id: UInt64, _ reply: ProviderReply) -> [UInt8] {
        frame(id: id, kind: 5, field(1, reply.serialized()))
    }

    /// One frame of docent.wire.v1, written by hand.
    static func frame(id: UInt64, kind: UInt8, _ message: [UInt8]) -> [UInt8] {
        let body = (id == 0 ? [] : [1 << 3] + varint(id)) + field(kind, message)
        return varint(UInt64(body.count)) + body
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [number << 3 | 2] + varint(UInt64(bytes.count)) + bytes
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }
}

extension TemporaryFolder {
    func bytes(_ name: String, _ bytes: [UInt8]) throws {
        let file = try file(name, "")
        let descriptor = try FileDescriptor.open(file, .writeOnly, options: [.truncate, .closeOnExec])
        try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
    }

    /// The process ids of all lives of a scripted provider.
    var starts: [Int32] {
        (text("bundle/starts") ?? "").split(separator: "\n").compactMap { Int32($0) }
    }
}
