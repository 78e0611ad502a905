extension CheckCodeTests {
    /// The tests that produce codes of Android Key Attestation which no vector has.
    static let androidKeyTests: [UnitTest] = [
        UnitTest(
            "AndroidKeyTests/AccountTests.swift", "accounts", "android-key.attestation.account account-blocked"),
        UnitTest("AndroidKeyTests/AccountTests.swift", "blocked", "android-key.attestation.enrolment blocked"),
        UnitTest(
            "AndroidKeyTests/AccountTests.swift", "challenges",
            "android-key.attestation.challenge challenge-mismatch",
            "android-key.attestation.challenge challenge-expired"),
        UnitTest(
            "AndroidKeyTests/AccountTests.swift", "identity",
            "android-key.attestation.enrolment key-refreshed",
            "android-key.attestation.enrolment key-of-another-app",
            "android-key.attestation.enrolment key-property-differs"),
        UnitTest(
            "AndroidKeyTests/AccountTests.swift", "limits",
            "android-key.attestation.enrolment key-retired",
            "android-key.attestation.enrolment oldest-keys-retired"),
        UnitTest(
            "AndroidKeyTests/KeyDescriptionTests.swift", "challenge",
            "android-key.attestation.challenge-binding challenge-empty"),
        UnitTest(
            "AndroidKeyTests/LedgerTests.swift", "challenge",
            "android-key.attestation.challenge challenge-consumed"),
        UnitTest(
            "AndroidKeyTests/LedgerTests.swift", "refresh",
            "android-key.attestation.enrolment key-of-another-account"),
        UnitTest(
            "AndroidKeyTests/SharedVectorTests.swift", "suite", "android-key.attestation.chain software-root"),
    ]
}
