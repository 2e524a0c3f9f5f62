/// How many bytes a varint takes.
func varintSize(_ value: UInt64) -> Int {
    value < 0x80 ? 1 : (70 - (value | 1).leadingZeroBitCount) / 7
}

/// Appends a varint in its shortest form.
func appendVarint(_ value: UInt64, to output: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
}
