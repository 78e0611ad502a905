/// How much of an inspection is printed for people.
struct InspectionLimits {
    /// The characters of one value.
    let value: Int
    /// The parts of one thing, such as the elements of an array.
    let children: Int
    /// The lines of one layer.
    let lines: Int
    /// The bytes of one part in a dump.
    let bytes: Int

    /// What can be read without scrolling for long.
    static let standard = InspectionLimits(value: 160, children: 50, lines: 1000, bytes: 64)
    /// Everything.
    static let none = InspectionLimits(value: .max, children: .max, lines: .max, bytes: .max)

    /// The beginning of a value, and how long it is when that is not all.
    func cut(_ text: String) -> String {
        let count = text.unicodeScalars.count
        guard count > value else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(value))) + "... (\(count) characters)"
    }
}
