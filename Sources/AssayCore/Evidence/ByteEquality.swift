extension StringProtocol {
    /// Whether two texts are the same bytes in UTF-8.
    ///
    /// What input reaches is never compared or hashed as `String`: that holds canonically equivalent texts to be equal,
    /// which evidence must not rely on, and sorts the combining marks of a character in time quadratic in their number.
    package func isByteEqual(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension Sequence where Element: StringProtocol {
    /// Whether some text of these is the same bytes as another.
    package func containsBytes(of text: some StringProtocol) -> Bool {
        contains { $0.isByteEqual(to: text) }
    }
}
