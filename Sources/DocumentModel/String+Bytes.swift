extension String {
    /// Equality of the stored bytes. `==` on `String` also holds for other Unicode forms of the same text, which are
    /// different names to a file system and different identifiers to a provider.
    package func hasSameBytes(as other: String) -> Bool {
        var (one, two) = (self, other)
        return one.withUTF8 { left in
            two.withUTF8 { right in left.elementsEqual(right) }
        }
    }

    package func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
