/// Formats numbers for display.
package enum NumberText {
    /// A whole number with commas between the thousands: `1,234,567`.
    package static func count(_ number: Int) -> String {
        var groups: [Substring] = []
        var digits = "\(number.magnitude)"[...]
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = digits.dropLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// A count and its noun: `1 record`, `2 records`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A share in percent with one decimal place; `<0.1%` instead of `0.0%` for a share above zero.
    package static func percent(_ part: Int, of whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0%" }
        guard part < whole else { return "100%" }
        let permille = (Double(part) / Double(whole) * 1000).rounded()
        if permille < 1 { return "<0.1%" }
        if permille > 999 { return ">99.9%" }
        return "\(Int(permille) / 10).\(Int(permille) % 10)%"
    }

    /// A duration in a fitting unit: `35 µs`, `1.2 s`, `3.5 d`.
    package static func duration(microseconds: Int) -> String {
        let units = [
            ("µs", 1), ("ms", 1000), ("s", 1_000_000), ("min", 60_000_000), ("h", 3_600_000_000),
            ("d", 86_400_000_000),
        ]
        let (name, size) = units.last { microseconds >= $0.1 } ?? ("µs", 1)
        let tenths = microseconds / size >= 10 ? microseconds / size * 10 : microseconds * 10 / size
        return tenths % 10 == 0 ? "\(count(tenths / 10)) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }

    /// A time, to the minute; to the day for intervals of a day or more.
    static func time(_ time: ReplayTime, interval milliseconds: Int) -> String {
        let text = time.description
        let day = text.prefix(10)
        return milliseconds >= 86_400_000 ? String(day) : "\(day) \(text.dropFirst(11).prefix(5))"
    }
}
