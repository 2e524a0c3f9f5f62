import Testing

@testable import DocumentModel

@Suite struct StableHashTests {
    @Test(
        "The hash of bytes is that of FNV-1a, whose authors give these",
        arguments: [
            ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
        ])
    func known(text: String, digits: String) {
        #expect(StableHash(text.utf8).digits == digits)
    }

    @Test("It is the same in parts, and has as many digits whatever it is")
    func parts() {
        for number in 0..<500 {
            let bytes = Array("name \(number)".utf8)
            var hash = StableHash(bytes.prefix(number % 6))
            hash.add(bytes.dropFirst(number % 6))
            #expect(hash == StableHash(bytes) && hash.digits.utf8.count == 16)
        }
    }
}
