extension CheckCodeTests {
    /// The tests that produce the codes of requests that Android keys sign, and that no vector has.
    static let androidKeyRequestTests: [UnitTest] = [
        UnitTest(
            "AndroidKeyTests/RequestTests.swift", "challenge", "android-key.request.challenge challenge-consumed"),
        UnitTest(
            "AndroidKeyTests/RequestTests.swift", "keyState",
            "android-key.request.key-state security-level-not-allowed",
            "android-key.request.key-state boot-state-not-allowed",
            "android-key.request.key-state key-algorithm-not-allowed",
            "android-key.request.key-state package-not-allowed", "android-key.request.key key-of-another-authority"),
        UnitTest("AndroidKeyTests/RequestTests.swift", "standings", "android-key.request.key blocked"),
        UnitTest(
            "AndroidKeyTests/RequestKeyStateTests.swift", "toleratedAttestation",
            "android-key.request.key-state attestation-tolerated"),
        UnitTest(
            "AndroidKeyTests/RequestKeyTests.swift", "keys",
            "android-key.request.key key-not-enrolled", "android-key.request.key key-retired",
            "android-key.request.key key-of-another-app", "android-key.request.key key-differs",
            "android-key.request.key key-unusable", "android-key.request.key key-unsupported"),
        UnitTest(
            "AndroidKeyTests/RequestKeyTests.swift", "accounts",
            "android-key.request.account account-blocked", "android-key.request.account key-without-account",
            "android-key.request.challenge challenge-expired", "android-key.request.challenge challenge-mismatch"),
    ]
}
