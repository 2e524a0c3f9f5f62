import DocumentTransport
import DocumentWire

extension Frame {
    /// A frame of a provider for who has to mend it: what it is, its fields by their names in the protos, and its bytes.
    package var evidence: String {
        let (summary, text) = Exchange.words(for: self, .toHost)
        return [summary, text].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
