/// The results, as text.
struct Table {
    /// The figures that are short of their aim.
    private(set) var missed: [String] = []
    private var lines: [[String]] = [
        ["figure", "median", "p10–p90", "floor", "floor's median", "ratio", "p10–p90", "aim", ""]
    ]

    mutating func add(_ row: any BenchmarkRow, _ rounds: [Round]) {
        let figures = Spread(rounds.map(\.figure))
        let floors = Spread(rounds.map(\.floor))
        let ratios = Spread(rounds.map { $0.figure / $0.floor })
        let (aim, isMet): (String, Bool) =
            switch row.aim {
            case .ratioAtMost(let limit): ("≤ \(limit) ×", ratios.median <= limit)
            case .ratioAtLeast(let limit): ("≥ \(limit) ×", ratios.median >= limit)
            case .figureAtLeast(let limit): ("≥ \(short(limit))", figures.median >= limit)
            }
        if !isMet { missed.append(row.name) }
        lines.append([
            row.name, "\(short(figures.median)) \(row.unit)", "\(short(figures.low))–\(short(figures.high))", row.floor,
            "\(short(floors.median)) \(row.unit)", "\(short(ratios.median)) ×",
            "\(short(ratios.low))–\(short(ratios.high))", aim, isMet ? "met" : "missed",
        ])
    }

    var text: String {
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
                .joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

/// Median, and the range that four fifths of the rounds lie in.
struct Spread {
    let low: Double
    let median: Double
    let high: Double

    init(_ values: [Double]) {
        let sorted = values.sorted()
        func at(_ share: Double) -> Double {
            sorted.isEmpty ? .nan : sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
        }
        (low, median, high) = (at(0.1), at(0.5), at(0.9))
    }
}

/// Three digits, as far as they matter; thousands apart.
private func short(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    if value < 10 { return String(Double(Int((value * 100).rounded())) / 100) }
    if value < 100 { return String(Double(Int((value * 10).rounded())) / 10) }
    var digits = String(Int(value.rounded()))
    var parts: [String] = []
    while digits.count > 3 {
        parts.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    return ([digits] + parts).joined(separator: ",")
}
