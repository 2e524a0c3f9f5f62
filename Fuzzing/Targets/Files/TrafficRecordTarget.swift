import DocumentModel
import DocumentTransport

/// A recorded session as a file: what was read is written and read again as the same.
enum TrafficRecordTarget: FuzzTarget {
    static let name = "traffic-record"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let record: TrafficRecord
        do throws(DocumentError) {
            record = try TrafficRecord(text: input)
        } catch {
            try require(error.code == .invalidArgument, "It was refused with \(error.code): \(error)")
            return
        }
        let again: TrafficRecord
        do throws(DocumentError) {
            again = try TrafficRecord(text: Array(record.text.utf8))
        } catch {
            throw FuzzFinding("It was written, and refused when it was read: \(error)")
        }
        try require(again.entries == record.entries, "Its entries were written, and read as others.")
        try require(again.notes.count == record.notes.count, "Its notes were written, and read as others.")
        for entry in record.entries { _ = entry.frame }
    }
}
