internal import CDocentShims
internal import DocumentModel
internal import SystemPackage

/// What a server was found to guarantee, as it is kept: a text that people can read, too.
struct Certificate: Hashable, Sendable {
    /// What was tried: address and software. What another server guarantees says nothing about this one.
    var subject: String
    var guarantee: Guarantee
    /// Whether a strong tag names one version only, however young it is (RS-2).
    var hasExactTags = false
    var objections: [String]

    static let fileName = "server.txt"
    private static let heading = "docent webdav server 2"

    var text: String {
        ([Self.heading, subject, guarantee.rawValue, Self.tags(hasExactTags), guarantee.sentence] + objections).joined(
            separator: "\n") + "\n"
    }

    private static func tags(_ areExact: Bool) -> String { areExact ? "exact tags" : "tags that need time" }

    /// One line that changes with the server and its version.
    static func subject(address: ServerAddress, software: String) -> String {
        ItemName.printable(
            "\(address.origin)\(address.target(of: .root, asFolder: true)) \(software.isEmpty ? "(unnamed)" : software)",
            limit: 300)
    }

    init(subject: String, findings: ProbeFindings) {
        self.subject = subject
        guarantee = Guarantee(findings)
        hasExactTags = findings.hasExactTags
        objections = guarantee == .conditionalChanges ? [] : findings.objections
    }

    /// Nil for what is none.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 6, lines[0] == Self.heading, let guarantee = Guarantee(rawValue: lines[2]),
            let areExact = [true, false].first(where: { Self.tags($0) == lines[3] }), lines.last == ""
        else { return nil }
        subject = lines[1]
        self.guarantee = guarantee
        hasExactTags = areExact
        objections = Array(lines[5..<(lines.count - 1)])
    }

    static func read(in folder: FilePath) -> Certificate? {
        guard let file = try? FileDescriptor.open(folder.appending(fileName), .readOnly, options: [.closeOnExec]) else {
            return nil
        }
        let bytes = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        return bytes.flatMap { Certificate(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// - Throws: `Errno`.
    func write(in folder: FilePath) throws {
        let fresh = folder.appending(Self.fileName + ".new")
        let file = try FileDescriptor.open(
            fresh, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
        try file.closeAfter {
            _ = try file.writeAll(text.utf8)
            let result = docent_fsync(file.rawValue)
            if result != 0 { throw Errno(rawValue: -result) }
        }
        let result = docent_renameat2(-100, fresh.string, -100, folder.appending(Self.fileName).string, 0)
        if result != 0 { throw Errno(rawValue: -result) }
    }
}
