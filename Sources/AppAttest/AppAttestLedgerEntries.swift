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

/// The two ways in which an app may carry one of the ledger's challenges.
enum LedgerChallenge {
    /// The challenge's value: the 32 bytes that 43 characters of base64url or 44 of base64 stand for, and any other
    /// bytes as they are.
    ///
    /// The ledger prints a challenge as base64url text. Some apps hash that text and some decode it first; both are the
    /// same challenge, and the lengths keep them apart from challenges of 32 bytes.
    static func value(of bytes: [UInt8]) -> [UInt8] {
        let decoded: [UInt8]? =
            switch bytes.count {
            case 43: try? Base64.decode(bytes[...], .url)
            case 44: try? Base64.decode(bytes[...], .standard)
            default: nil
            }
        guard let decoded, decoded.count == 32 else { return bytes }
        return decoded
    }
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
