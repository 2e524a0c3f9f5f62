import Glibc

/// A counting semaphore for threads of our own. Never to be waited for in a task.
final class Semaphore: @unchecked Sendable {  // `sem_t` is made for many threads; its address stays the same.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) == -1, errno == EINTR {}
    }
}
