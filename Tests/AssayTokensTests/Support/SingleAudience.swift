import AssayCore
import AssayTokens

/// Most tests are about one audience.
extension TokenRequest {
    init(
        record: EvidenceRecord, challenge: String, audience: String, keyThumbprint: String? = nil,
        publicKey: [UInt8]? = nil, keyProof: String? = nil, binding: String? = nil, isLimitedUse: Bool = false,
        hasEAR: Bool = false
    ) {
        self.init(
            record: record, challenge: challenge, audiences: [audience], keyThumbprint: keyThumbprint,
            publicKey: publicKey, keyProof: keyProof, binding: binding, isLimitedUse: isLimitedUse, hasEAR: hasEAR)
    }

    static func evidenceChallenge(
        _ challenge: String, audience: String, keyThumbprint: String?, binding: String? = nil
    ) -> [UInt8] {
        evidenceChallenge(challenge, audiences: [audience], keyThumbprint: keyThumbprint, binding: binding)
    }

    var audience: String { audiences.first ?? "" }
}

extension TokenGrant {
    var text: String { tokens.first?.text ?? "" }
    var expiresIn: Int { tokens.first?.expiresIn ?? 0 }
    var scheme: IssuedToken.Scheme { tokens.first?.scheme ?? .bearer }
}
