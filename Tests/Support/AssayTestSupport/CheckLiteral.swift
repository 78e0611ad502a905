public import AssayCore

/// Tests name checks by texts, which are API. A misspelt one fails its test.
extension CheckID: ExpressibleByStringLiteral {
    /// Names a check.
    public init(stringLiteral name: String) { self.init(name) }
}
