import DocumentModel
import Testing

struct DocumentErrorTests {
    @Test(
        "PROV-22: the code decides the class",
        arguments: [
            (DocumentError.Code.notAuthenticated, DocumentError.ErrorClass.resolvable),
            (.excludedFromSync, .resolvable),
            (.noSuchItem, .definitive), (.versionNoLongerAvailable, .definitive),
            (.internal, .transient), (.busy, .transient), (.localStorage, .transient),
            (.cancelled, .caller), (.anchorExpired, .caller), (.nameClash, .caller),
            (.providerDied, .transient), (.providerUnavailable, .transient),
            (.init(rawValue: 199), .transient), (.init(rawValue: 299), .transient), (.init(rawValue: -1), .transient),
        ]
    )
    func classes(_ code: DocumentError.Code, _ expected: DocumentError.ErrorClass) {
        #expect(code.errorClass == expected)
    }

    @Test("PROV-18: death, time-outs and broken protocols are never definitive, and only the host may say them")
    func reserved() {
        for code: DocumentError.Code in [
            .providerDied, .deadlineExceeded, .protocolViolation, .frameTooLarge, .contractBroken, .providerUnavailable,
        ] {
            #expect(code.isReservedForHost)
            #expect(code.errorClass == .transient)
        }
        #expect(!DocumentError.Code.noSuchItem.isReservedForHost)
        #expect(!DocumentError.Code.nameClash.isReservedForHost)
    }

    @Test("codes say their names")
    func names() {
        #expect("\(DocumentError.Code.noSuchItem)" == "noSuchItem")
        #expect("\(DocumentError.Code(rawValue: 777))" == "code777")
    }

    @Test("a wrapped error keeps its code and tells its causes, outermost first")
    func wrapping() {
        let inner = DocumentError(
            .serverUnreachable, "No route.", detail: "d", retryAfter: .seconds(3), causes: ["Cable."])
        let outer = inner.wrapped("“a” could not be fetched.")
        #expect(outer.code == .serverUnreachable)
        #expect(outer.causes == ["No route.", "Cable."])
        #expect(outer.retryAfter == .seconds(3))
        #expect(outer.description == "“a” could not be fetched. (No route. Cable.)")
        #expect(DocumentError(.busy, "Busy.").description == "Busy.")
    }

    @Test("times are ordered and keep their nanoseconds in range")
    func timestamps() {
        #expect(Timestamp(seconds: 1, nanoseconds: 5) < Timestamp(seconds: 1, nanoseconds: 6))
        #expect(Timestamp(seconds: -1, nanoseconds: 5) < Timestamp.zero)
        #expect(Timestamp(seconds: 0, nanoseconds: .max).nanoseconds == 999_999_999)
    }
}
