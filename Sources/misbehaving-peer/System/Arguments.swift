import Glibc

/// Words as C wants them, for as long as a closure runs.
enum Arguments {
    static func withCStrings<Value>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Value
    ) rethrows -> Value {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        for word in words { pointers.append(strdup(word)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return try body(pointers)
    }
}
