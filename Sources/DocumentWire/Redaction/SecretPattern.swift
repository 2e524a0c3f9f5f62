/// A value that is looked for in frames, prepared so that each byte of a frame is looked at once or twice, whatever the value
/// is (Knuth, Morris and Pratt): who chooses it may choose one that makes looking slow.
struct SecretPattern: Sendable {
    let bytes: [UInt8]
    /// For each beginning of the value: how long the longest shorter beginning is that it ends with.
    private let borders: [Int32]

    /// - Parameter bytes: at least one.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders = [Int32](repeating: 0, count: bytes.count)
        bytes.withUnsafeBufferPointer { bytes in
            borders.withUnsafeMutableBufferPointer { borders in
                var length = 0
                for index in bytes.indices.dropFirst() {
                    while length > 0, bytes[index] != bytes[length] { length = Int(borders[length - 1]) }
                    if bytes[index] == bytes[length] { length += 1 }
                    borders[index] = Int32(length)
                }
            }
        }
        self.borders = borders
    }

    /// Overwrites the value wherever it is.
    func blank(in text: UnsafeMutableBufferPointer<UInt8>, with blank: UInt8) {
        bytes.withUnsafeBufferPointer { bytes in
            borders.withUnsafeBufferPointer { borders in
                let (first, count, end) = (bytes[0], bytes.count, text.count)
                var (length, index) = (0, 0)
                while index < end {
                    let byte = text[index]
                    index += 1
                    if length == 0, byte != first { continue }
                    while length > 0, byte != bytes[length] { length = Int(borders[length - 1]) }
                    if byte == bytes[length] { length += 1 }
                    guard length == count else { continue }
                    for place in (index - count)..<index { text[place] = blank }
                    length = 0
                }
            }
        }
    }
}
