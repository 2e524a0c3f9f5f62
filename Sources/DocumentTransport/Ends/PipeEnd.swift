package import SystemPackage

/// An end made of descriptors: two pipes, or one socket. Owns them, and makes them non-blocking.
package final class PipeEnd: TransportEnd {
    package init(reading: FileDescriptor, writing: FileDescriptor, loop: EventLoop) {}

    /// A connected stream socket, which is read and written through one descriptor.
    package convenience init(socket: FileDescriptor, loop: EventLoop) {
        self.init(reading: socket, writing: socket, loop: loop)
    }

    package func close() {}
}
