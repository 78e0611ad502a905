/// How much of an inspection is printed as text.
struct InspectionLimits {
    /// The characters of one value.
    let value: Int
    /// The parts of one value, such as the elements of an array.
    let children: Int
    /// The lines of one layer.
    let lines: Int
    /// The bytes of one part in a dump.
    let bytes: Int

    /// A few screens.
    static let standard = InspectionLimits(value: 160, children: 50, lines: 1000, bytes: 64)
    /// Everything.
    static let none = InspectionLimits(value: .max, children: .max, lines: .max, bytes: .max)

    /// The value, or its beginning and its length.
    func cut(_ text: String) -> String {
        let count = text.unicodeScalars.count
        guard count > value else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(value))) + "... (\(count) characters)"
    }
}
