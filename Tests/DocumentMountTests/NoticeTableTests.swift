import DocumentMount
import Testing

/// What the kernel is told unasked.
@Suite struct NoticeTableTests {
    @Test func whatComesWhileItWaitsIsToldWithIt() {
        var table = NoticeTable()
        let added = [table.add(.attributes, of: 1), table.add(.contents, of: 1), table.add(.attributes, of: 1)]
        #expect(added == [true, false, false])
        let told = table.begin(1)
        #expect(told == .contents)
        let goesOn = table.end(1)
        #expect(!goesOn && table.isEmpty)
    }

    @Test func whatComesWhileItIsToldIsToldOnceBehindIt() {
        var table = NoticeTable()
        let isFirst = table.add(.contents, of: 1)
        let told = table.begin(1)
        #expect(isFirst && told == .contents)
        // As a program waits for us, which the kernel waits for.
        let added = (0..<100).map { _ in table.add(.contents, of: 1) }
        #expect(!added.contains(true))
        let meanwhile = table.begin(1)
        #expect(meanwhile == nil, "one at a time")
        let goesOn = table.end(1)
        let behind = table.begin(1)
        #expect(goesOn && behind == .contents)
        let goesOnAgain = table.end(1)
        #expect(!goesOnAgain && table.isEmpty)
    }

    @Test func othersAreToldMeanwhile() {
        var table = NoticeTable()
        let added = [table.add(.contents, of: 1), table.add(.attributes, of: 2)]
        #expect(added == [true, true])
        let told = [table.begin(1), table.begin(2)]
        #expect(told == [.contents, .attributes])
        let goOn = [table.end(2), table.end(1)]
        #expect(goOn == [false, false] && table.isEmpty)
    }
}
