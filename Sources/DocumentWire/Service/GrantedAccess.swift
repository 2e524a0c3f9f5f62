/// The answer that grants one document, taken apart as far as it differs from time to time.
package struct GrantedAccess: Sendable {
    package let access: UInt64
    /// What ``EncodedAccess`` has encoded. The same bytes are the same document in the same state.
    package let fields: ArraySlice<UInt8>

    /// - Returns: nil for an answer of another kind or in another form, which ``ServiceReply`` reads.
    package init?(_ answer: [UInt8]) {
        let found: (access: UInt64, start: Int)? = answer.withUnsafeBytes { bytes in
            var scanner = FieldScanner(bytes)
            guard scanner.skip(EncodedAccess.beginAccess), scanner.enterMessage(), scanner.skip(EncodedAccess.number),
                let access = scanner.varint()
            else { return nil }
            return (access, scanner.position)
        }
        guard let found else { return nil }
        access = found.access
        fields = answer[found.start...]
    }
}
