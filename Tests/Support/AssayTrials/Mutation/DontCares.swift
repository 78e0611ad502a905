extension DontCare {
    /// Every difference that may be accepted.
    static let all: [DontCare] = appAttest + approov + playIntegrity
}
