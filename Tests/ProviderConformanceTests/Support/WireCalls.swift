import DocumentTestSupport
import DocumentTransport
import DocumentWire
import ProviderConformance
import SystemPackage

/// The calls that the contract has, and those that a run's checks have asked.
enum WireCalls {
    /// Their names by the number of their field, read from the contract itself: a call that is added to it is missed by
    /// the kit until a check asks it.
    static func declared() throws -> [UInt64: String] {
        let file = "Sources/DocumentWire/Protos/docent/provider/v1/provider.proto"
        let text = try TemporaryFile.read(BuiltProducts.packageFolder().appending(file))
        let lines = text.split(separator: "\n").drop { $0 != "message ProviderRequest {" }.prefix { $0 != "}" }
        var calls: [UInt64: String] = [:]
        for line in lines {
            // “PreparePicker prepare_picker = 50;”
            let words = line.split(separator: " ")
            guard words.count == 4, words[2] == "=", let number = UInt64(words[3].dropLast()) else { continue }
            calls[number] = String(words[1])
        }
        return calls
    }

    /// The numbers of the calls that a check asked, and that were answered by more than a failure.
    static func answered(in records: [String]) throws -> Set<UInt64> {
        var answered: Set<UInt64> = []
        for record in records {
            var asked: [UInt64: UInt64] = [:]
            for entry in try TrafficRecord(text: Array(record.utf8)).entries {
                guard let frame = entry.frame else { continue }
                switch (frame.kind, entry.direction) {
                case (.request(let body, _, let label, _), .toProvider) where label?.text.hasPrefix("PC-") == true:
                    asked[frame.id] = number(of: body)
                case (.answer, .toHost):
                    if let number = asked[frame.id] { answered.insert(number) }
                default: break
                }
            }
        }
        return answered
    }

    /// The number of a message's first field.
    private static func number(of body: [UInt8]) -> UInt64 {
        var tag: UInt64 = 0
        for (place, byte) in body.prefix(9).enumerated() {
            tag |= UInt64(byte & 0x7F) << (7 * UInt64(place))
            if byte < 0x80 { break }
        }
        return tag >> 3
    }
}
