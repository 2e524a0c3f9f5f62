import DocumentModel
import DocumentMount
import SystemPackage
import Testing

/// What a program that knows nothing of us is told.
@Suite struct ErrorNumberTests {
    @Test(arguments: [
        (DocumentError.Code.noSuchItem, Errno.noSuchFileOrDirectory), (.serverUnreachable, .noRouteToHost),
        (.providerUnavailable, .hostIsDown), (.deadlineExceeded, .timedOut), (.notAuthenticated, .permissionDenied),
        (.notPermitted, .permissionDenied), (.insufficientQuota, .diskQuotaExceeded), (.cancelled, .interrupted),
        (.destinationExists, .fileExists), (.directoryNotEmpty, .directoryNotEmpty), (.hostUnavailable, .ioError),
        (.providerDied, .ioError), (.deadlock, .deadlock), (.versionNoLongerAvailable, .staleNFSFileHandle),
    ])
    func everyErrorHasANumberThatSaysWhatIsWrong(_ code: DocumentError.Code, _ number: Errno) {
        #expect(ErrorNumber.of(DocumentError(code, "No.")) == number)
    }

    @Test func aFullDiskIsToldFromABrokenOne() {
        #expect(ErrorNumber.of(DocumentError(.localStorage, "No: \(DocumentError.diskIsFull)")) == .noSpace)
        #expect(ErrorNumber.of(DocumentError(.localStorage, "The disk reported an error.")) == .ioError)
    }

    @Test func whatIsNoFolderIsToldFromWhatCannotBeDone() throws {
        #expect(ErrorNumber.of(DocumentError.isNoFolder(try Location("d:/a.txt"))) == .notDirectory)
        #expect(ErrorNumber.of(DocumentError(.invalidArgument, "No.")) == .invalidArgument)
    }

    @Test func aCodeOfANewerHostHasTheNumberOfItsKind() {
        #expect(ErrorNumber.of(DocumentError(DocumentError.Code(rawValue: 199), "No.")) == .ioError)
        #expect(ErrorNumber.of(DocumentError(DocumentError.Code(rawValue: 999), "No.")) == .ioError)
    }

    @Test func noErrorIsTakenForSuccess() {
        for number in 0..<700 { #expect(ErrorNumber.of(DocumentError(.init(rawValue: number), "No.")).rawValue > 0) }
    }
}
