import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

struct ThumbnailCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Write a small picture of a document.",
        discussion: """
            The picture is what the provider has: a PNG, a JPEG or a WebP, of the contents that the document has now. \
            Nothing is downloaded for it. What the provider gave once is kept, and given also when it cannot be reached.

            Example: docent thumbnail work:/Photos/lake.jpg -o lake.png
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Option(
        parsing: .unconditional,
        help: "What the longer side should have, in pixels: 16 to 1024. The picture may have more or less.")
    var size = 256

    @Option(
        name: [.short, .customLong("output")],
        help: "The file to write; one that is there is replaced. Without it, standard output.",
        completion: .file())
    var output: String?

    func validate() throws {
        guard Thumbnail.sizes.contains(size) else {
            throw ValidationError(
                "--size \(size) is not possible: write \(Thumbnail.sizes.lowerBound) to \(Thumbnail.sizes.upperBound).")
        }
        guard output?.isEmpty != true else { throw ValidationError("The file has no name: write one behind -o.") }
    }

    func run(_ client: DocumentClient) async throws {
        guard output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError(
                "A picture is nothing for a terminal: name a file, for example -o picture.png, or redirect the output.")
        }
        guard let outcome = try await client.thumbnails(of: [location], size: size).first,
            let thumbnail = try outcome.get()
        else {
            throw DocumentError(
                .noSuchItem,
                "There is no thumbnail of \(location): its provider gives none, or none of what the document is now.")
        }
        if let output { return try write(thumbnail, to: FilePath(output)) }
        try thumbnail.bytes.withUnsafeBytes { try Console.write($0) }
    }

    /// Whole or not at all.
    private func write(_ thumbnail: Thumbnail, to file: FilePath) throws {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        let temporary = file.removingLastComponent().appending(".docent-thumbnail-\(random)")
        do {
            let new = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: FilePermissions(rawValue: 0o666))
            do {
                try new.closeAfter { _ = try new.writeAll(thumbnail.bytes) }
                guard rename(temporary.string, file.string) == 0 else { throw Errno(rawValue: errno) }
            } catch {
                unlink(temporary.string)
                throw error
            }
        } catch let error as Errno {
            throw DocumentError(
                .localStorage, "The picture \(file) cannot be written (\(error)): choose another place, or make room.")
        }
    }
}
