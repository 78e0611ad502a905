public import AssayCore
import AssayPrimitives

// What App Attest keeps in the ledger, and under which names.

extension KeyIdentifier {
    /// The ledger's name of an App Attest key, by which it is looked up and blocked.
    ///
    /// - Parameter keyID: the key identifier, 32 bytes.
    public static func appAttest(_ keyID: [UInt8]) -> KeyIdentifier {
        KeyIdentifier(engine: AppAttestConfiguration.engine, value: keyID)
    }
}

/// What the ledger keeps of an enrolled key besides the key itself.
enum EnrolledProperty {
    static let appID = "appId"
    static let environment = "environment"
    static let osVersion = "osVersion"
    static let validationCategory = "validationCategory"
    static let bundleVersion = "bundleVersion"
    static let testAuthority = "testAuthority"
}

extension LedgerEffect {
    /// The use of one of the ledger's challenges, in whichever of its two forms.
    static func consumeChallenge(
        _ bytes: [UInt8], _ check: CheckID, _ kind: EvidenceKind, _ expectations: AppAttestExpectations
    ) -> LedgerEffect {
        LedgerEffect(
            check,
            .consumeChallenge(
                value: LedgerChallenge.value(of: bytes), app: expectations.app, purpose: ChallengePurpose(kind)))
    }
}
