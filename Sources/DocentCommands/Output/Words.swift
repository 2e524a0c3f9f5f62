package import DocumentModel
import Glibc

/// Figures, times and versions as people read them.
package enum Words {
    /// `999 B`, `1.2 KB`, `34 MB`: powers of 1000, two digits at least.
    package static func size(_ bytes: some BinaryInteger) -> String {
        if bytes < 1_000 { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
        // What would be rounded to 1000 belongs to the next unit.
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        if value >= 9.95 { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    package static func count(_ number: some BinaryInteger, _ singular: String, _ plural: String) -> String {
        "\(number) \(number == 1 ? singular : plural)"
    }

    /// `2026-11-21 03:44`, in local time; a dash for no time.
    package static func time(_ time: Timestamp) -> String {
        if time == .zero { return "–" }
        var seconds = time_t(time.seconds)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "–" }
        return formatted(parts, "%Y-%m-%d %H:%M")
    }

    /// `2026-11-21T03:44:05.123456789Z`.
    package static func instant(_ time: Timestamp) -> String {
        var seconds = time_t(time.seconds)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(time.seconds)" }
        let digits = String(time.nanoseconds)
        let fraction =
            time.nanoseconds == 0 ? "" : "." + String(repeating: "0", count: 9 - digits.count) + digits
        return formatted(parts, "%Y-%m-%dT%H:%M:%S") + fraction + "Z"
    }

    /// A version's bytes: as they are when they are plain text, else in hexadecimal.
    package static func version(_ bytes: [UInt8], limit: Int = .max) -> String {
        if bytes.isEmpty { return "–" }
        let isPlain = bytes.allSatisfy { (0x21...0x7E).contains($0) }
        let text = isPlain ? String(decoding: bytes, as: UTF8.self) : hexadecimal(bytes)
        return text.count > limit ? String(text.prefix(limit - 1)) + "…" : text
    }

    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    private static func formatted(_ parts: tm, _ format: String) -> String {
        var parts = parts
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, 64, format, &parts) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
