extension String {
    /// How many columns of a terminal it takes: combining marks take none, East Asian wide characters and emoji two.
    package var displayWidth: Int {
        reduce(0) { $0 + $1.displayWidth }
    }

    /// With spaces behind it, up to a width; never cut.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// With spaces in front of it, up to a width; never cut.
    func rightAligned(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        let scalars = unicodeScalars
        // A pictograph that is asked for in colour, and a flag of two letters.
        if scalars.contains("\u{FE0F}") || scalars.first?.properties.isEmojiPresentation == true { return 2 }
        return scalars.lazy.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks whose characters are wide or full-width (Unicode, annex 11), with what lies between them left out
    /// only where something narrow is in it.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]
}
