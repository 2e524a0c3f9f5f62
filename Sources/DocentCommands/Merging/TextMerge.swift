import DocumentClient
import DocumentModel
import SystemPackage

/// Merges both sides of a conflict by their lines, with a tool that knows how: `git merge-file`, or `merge` of RCS.
struct TextMerge {
    let sides: ConflictSides

    /// - Throws: `inConflict` where the same lines were changed on both sides. Then the result is of no use.
    func merge(into result: FilePath) async throws {
        let location = sides.location
        try ConflictMerge.copy(sides.ours, to: result, of: location)
        let status = try await mergeTool(on: result, sides.base.string, sides.theirs.string)
        guard status == 0 else {
            throw DocumentError(
                .inConflict,
                status < 128
                    ? "The same lines of \(location) were changed on both sides; nothing was changed. docent conflicts \(ShellWord.quoted(location.description)) shows the files; choose with --keep."
                    : "\(location) cannot be merged by lines; nothing was changed. Choose with --keep.")
        }
    }

    /// - Returns: 0 for a clear merge, then the number of places that are none, and 128 or more for a failure.
    private func mergeTool(on ours: FilePath, _ base: String, _ theirs: String) async throws -> Int32 {
        let labels = ["-L", "here", "-L", "base", "-L", "remote"]
        do {
            return try await CommandLineProgram(
                words: ["git", "merge-file", "-q"] + labels + ["{}", base, theirs]
            ).run(on: ours)
        } catch {
            do {
                return try await CommandLineProgram(words: ["merge", "-q"] + labels + ["{}", base, theirs]).run(
                    on: ours)
            } catch {
                throw DocumentError(
                    .notConfigured, "Neither git nor merge is installed: install one of them, or choose with --keep.")
            }
        }
    }
}
