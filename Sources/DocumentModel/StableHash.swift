/// FNV-1a with 64 bits: the same for the same bytes in every process, on every machine. It tells what differs by accident apart, and
/// keeps no forger out.
package struct StableHash: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// 16 hexadecimal digits.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
