extension Manifest {
    /// How much a provider may use at a time.
    package struct Limits: Hashable, Sendable {
        /// Bytes of data a process: heap, stacks of threads, private writable mappings (`RLIMIT_DATA`).
        package var memory: Int64 = 1 << 30
        /// Descriptors a process.
        package var openFiles = 1024
        /// Other programs and processes that it may start; 0: none at all.
        package var processes = 0

        /// In MiB, as the manifest has it.
        static let memoryRange = 16...65536
        static let openFilesRange = 64...65536
        static let processesRange = 0...1024

        package init() {}

        init(reader: inout ManifestReader) throws(ManifestProblem) {
            memory = try reader.integer("memory", in: Self.memoryRange).map { Int64($0) << 20 } ?? memory
            openFiles = try reader.integer("open-files", in: Self.openFilesRange) ?? openFiles
            processes = try reader.integer("processes", in: Self.processesRange) ?? processes
        }
    }
}
