import SystemPackage
import Testing

@testable import DocumentMount

/// Files that the kernel is to read by itself, and does not take.
@Suite struct KernelPassthroughTests {
    @Test func onlyAnErrorThatIsAboutAllFilesIsTheLast() {
        for error in [Errno.notPermitted, .inappropriateIOCTLForDevice, .notSupported, .tooManySymbolicLinkLevels] {
            #expect(KernelPassthrough.saysNever(error), "\(error)")
        }
        for error in [Errno.noMemory, .noSpace, .badFileDescriptor, .tooManyOpenFilesInSystem, .interrupted] {
            #expect(!KernelPassthrough.saysNever(error), "\(error)")
        }
    }
}
