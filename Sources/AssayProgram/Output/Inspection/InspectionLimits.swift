/// Limits for the text output of an inspection.
struct InspectionLimits {
    /// The most characters of one value.
    let value: Int
    /// The most children of one value, such as array elements.
    let children: Int
    /// The most lines of one layer.
    let lines: Int
    /// The most bytes of one segment in a dump.
    let bytes: Int

    /// The default limits: a few screens.
    static let standard = InspectionLimits(value: 160, children: 50, lines: 1000, bytes: 64)
    /// No limits.
    static let none = InspectionLimits(value: .max, children: .max, lines: .max, bytes: .max)

    /// The value; if too long, its beginning and its length.
    func cut(_ text: String) -> String {
        let count = text.unicodeScalars.count
        guard count > value else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(value))) + "... (\(count) characters)"
    }
}
