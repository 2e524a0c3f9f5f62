import DocumentTransport

extension FrameDecoder {
    mutating func decode(
        _ bytes: [UInt8], _ body: (_ body: [UInt8], _ offset: UInt64) throws(FrameViolation) -> Void
    ) throws(FrameViolation) {
        try bytes.withUnsafeBufferPointer { bytes throws(FrameViolation) in
            try decode(UnsafeRawBufferPointer(bytes)) { bytes, offset throws(FrameViolation) in
                try body(Array(bytes), offset)
            }
        }
    }
}
