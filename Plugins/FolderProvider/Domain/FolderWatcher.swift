internal import Glibc

/// The thread that looks after a domain's folder. Ends when this goes out of use.
final class FolderWatcher: @unchecked Sendable {
    // Unchecked: the thread's name is set once, before anybody else sees this, and read at the end only.
    private let domain: FolderDomain
    private var thread = pthread_t()
    private let isRunning: Bool

    init(_ domain: FolderDomain) {
        self.domain = domain
        let reference = Unmanaged.passRetained(domain)
        isRunning =
            pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<FolderDomain>.fromOpaque(argument).takeRetainedValue().watch()
                    return nil
                }, reference.toOpaque()) == 0
        if !isRunning { reference.release() }
    }

    deinit {
        guard isRunning else { return }
        domain.stop()
        pthread_join(thread, nil)
    }
}
