internal import DocumentModel

/// An item's identity within this domain; the number behind the ``ItemIdentifier``.
///
/// Minted from inode and birth of the file that the item was first seen as, so that most identifiers come back the
/// same when the provider's state was lost. From then on it is the record that counts: an item keeps its identifier
/// when an editor puts another file under its name.
struct RecordID: Hashable, Comparable, Sendable {
    let number: UInt64

    static let root = RecordID(number: 0)

    static func < (one: Self, other: Self) -> Bool { one.number < other.number }

    /// - Parameter attempt: counts up while the result is taken.
    static func minted(from key: FileKey, attempt: UInt64) -> RecordID {
        var number = mix(key.inode &+ 0x9E37_79B9_7F4A_7C15)
        if let born = key.born {
            number = mix(number ^ UInt64(bitPattern: born.seconds))
            number = mix(number &+ UInt64(born.nanoseconds))
        }
        number = mix(number &+ attempt)
        return RecordID(number: max(number, 1))
    }

    /// A well-stirred 64-bit number (the finaliser of SplitMix64).
    private static func mix(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}

extension RecordID {
    /// 13 letters and digits: short enough to need no memory of their own in Swift.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 13

    var identifier: ItemIdentifier {
        get throws(DocumentError) {
            if self == .root { return .root }
            return try ItemIdentifier(text)
        }
    }

    var text: String {
        String(unsafeUninitializedCapacity: Self.length) { buffer in
            for index in 0..<Self.length {
                buffer[index] = Self.alphabet[Int(number >> (5 * UInt64(Self.length - 1 - index)) & 31)]
            }
            return Self.length
        }
    }

    /// Nil for text that was never an identifier of this provider.
    init?(_ identifier: ItemIdentifier) {
        if identifier == .root {
            self = .root
            return
        }
        var number: UInt64 = 0
        guard identifier.rawValue.utf8.count == Self.length else { return nil }
        for byte in identifier.rawValue.utf8 {
            guard let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
            guard number >> 59 == 0 else { return nil }
            number = number << 5 | UInt64(digit)
        }
        guard number != 0 else { return nil }
        self.init(number: number)
    }
}
