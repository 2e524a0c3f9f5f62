internal import CDocentShims
internal import DocumentModel

/// Which device saved a file's contents, noted in an attribute of the file where the file system has such. It says of which
/// contents: what a program has written since, that knows nothing of it, is nobody's.
enum SavingDevice {
    private static let attribute = "user.docent.saved-by"

    static func write(_ device: String, to file: borrowing OpenFile) {
        var status = docent_entry_status()
        guard !device.isEmpty, docent_entry_status(file.descriptor, "", &status) == 0 else {
            _ = docent_fremovexattr(file.descriptor, attribute)
            return
        }
        let value = Array("\(contents(status)) \(device)".utf8)
        if docent_fsetxattr(file.descriptor, attribute, value, value.count, 0) != 0 {
            // Another device's, perhaps, copied from the file that this one replaces.
            _ = docent_fremovexattr(file.descriptor, attribute)
        }
    }

    /// - Returns: nil when nobody has noted it, or of other contents.
    static func read(from file: borrowing OpenFile) -> String? {
        var status = docent_entry_status()
        var value = [UInt8](repeating: 0, count: 512)
        let length = docent_fgetxattr(file.descriptor, attribute, &value, value.count)
        guard length > 0, docent_entry_status(file.descriptor, "", &status) == 0 else { return nil }
        let note = String(decoding: value.prefix(length), as: UTF8.self)
        let own = contents(status) + " "
        guard note.hasPrefix(own), note.utf8.count > own.utf8.count else { return nil }
        return String(note.dropFirst(own.count))
    }

    private static func contents(_ status: docent_entry_status) -> String {
        "\(status.size) \(status.modified_seconds) \(status.modified_nanoseconds)"
    }
}
