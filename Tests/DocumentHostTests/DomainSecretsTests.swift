import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Testing

@testable import DocumentHost

struct DomainSecretsTests {
    private func withSecrets(_ body: (DomainSecrets, StorageFixture) throws -> Void) throws {
        let fixture = try StorageFixture()
        try body(DomainSecrets(fixture.root.secrets), fixture)
    }

    @Test("what a provider keeps is kept apart from what its domain signs in with, and neither disturbs the other")
    func apart() throws {
        try withSecrets { secrets, fixture in
            let domain = fixture.domain
            try secrets.keep(["password": "p"], of: domain)
            try secrets.keepOwn([0, 10, 61, 255], named: "token", of: domain)
            #expect(try secrets.secrets(of: domain) == ["password": "p"])
            #expect(try secrets.own(of: domain) == ["token": [0, 10, 61, 255]])
            try secrets.keep(["password": "q"], of: domain)
            #expect(try secrets.own(of: domain) == ["token": [0, 10, 61, 255]])
            // What the next host reads.
            try secrets.keepOwn([1], named: "token", of: domain)
            #expect(try DomainSecrets(fixture.root.secrets).own(of: domain) == ["token": [1]])
            try secrets.keepOwn([], named: "token", of: domain)
            try secrets.keep([:], of: domain)
            #expect(try fixture.root.secrets.domains().isEmpty, "nothing is kept of nothing")
        }
    }

    @Test(
        "a sign-in begins without what the provider had kept, which stays when it fails, and is replaced when it does not"
    )
    func trial() throws {
        try withSecrets { secrets, fixture in
            let domain = fixture.domain
            try secrets.keep(["password": "old"], of: domain)
            try secrets.keepOwn([1], named: "token", of: domain)
            secrets.beginTrial(of: domain)
            #expect(try secrets.own(of: domain).isEmpty)
            try secrets.keepOwn([2], named: "token", of: domain)
            #expect(try secrets.own(of: domain) == ["token": [2]])
            // A host that is killed now has what it had.
            #expect(try DomainSecrets(fixture.root.secrets).own(of: domain) == ["token": [1]])
            secrets.endTrial(of: domain)
            #expect(try secrets.own(of: domain) == ["token": [1]])

            secrets.beginTrial(of: domain)
            try secrets.keepOwn([3], named: "other", of: domain)
            try secrets.keep(["password": "new"], of: domain)
            secrets.endTrial(of: domain)
            #expect(try secrets.own(of: domain) == ["other": [3]])
            #expect(try secrets.secrets(of: domain) == ["password": "new"])
        }
    }

    @Test("AUTH-3: a sign-out removes what a provider keeps, too")
    func removed() throws {
        try withSecrets { secrets, fixture in
            try secrets.keepOwn([1], named: "token", of: fixture.domain)
            try secrets.remove(of: fixture.domain)
            #expect(try secrets.own(of: fixture.domain).isEmpty)
        }
    }

    @Test("a provider cannot fill the store")
    func limits() throws {
        try withSecrets { secrets, fixture in
            let longest = [UInt8](repeating: 0xAB, count: DomainSecrets.longestOwn)
            for number in 0..<DomainSecrets.mostOwn {
                try secrets.keepOwn(longest, named: "\(number)", of: fixture.domain)
            }
            func code(_ value: [UInt8], _ name: String) -> DocumentError.Code? {
                do {
                    try secrets.keepOwn(value, named: name, of: fixture.domain)
                    return nil
                } catch {
                    return (error as? DocumentError)?.code
                }
            }
            #expect(code([1], "one more") == .insufficientQuota)
            #expect(code(longest + [1], "0") == .insufficientQuota)
            #expect(code(longest, "0") == nil)
            #expect(
                try secrets.own(of: fixture.domain).count == DomainSecrets.mostOwn, "as much as may be kept can be read"
            )
        }
    }
}
