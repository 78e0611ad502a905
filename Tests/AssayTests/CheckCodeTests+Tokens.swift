extension CheckCodeTests {
    /// The codes of Assay's tokens that no vector has.
    static let tokenTests: [UnitTest] = [
        UnitTest("AssayTokensTests/StandingTests.swift", "blocked", "assay.token.subject blocked"),
        UnitTest(
            "AssayTokensTests/StandingTests.swift", "accounts", "assay.token.account token-of-another-account",
            "assay.token.account account-blocked"),
        UnitTest("AssayTokensTests/KeyScheduleTests.swift", "leak", "assay.token.key key-retired"),
    ]
}
