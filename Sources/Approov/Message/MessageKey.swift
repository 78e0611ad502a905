public import AssayCore

extension CheckID {
    /// The token names a message key of the kind that the policy demands.
    public static let approovMessageKey = CheckID("approov.message.key")
}

extension ApproovCheck {
    static let messageKeyEntry = CheckDefinition(
        .approovMessageKey, .gate,
        proves: "The token names the key: `ipk` for installations, `mskid` and a live key of that ID for accounts.",
        stops: "Messages whose signature no attested key made.",
        lookAt: "Whether message signing is enabled for the account; `assay keys list` for `mskid`.",
        source: signatures,
        remedy: .contactSupport,
        codes: CheckCode.ofDecoding + [
            .installationKeyMissing, .installationKeyCurve, .messageKeyIDMissing, .keyNotLive, .unknownKeyID,
        ])
}

/// The key for a message's signature, as the token identifies it.
enum MessageKey {
    /// The installation's public key, on P-256.
    case installation(ECDSAPublicKey)
    /// The account's secrets with the ID in the token; several if keys share the ID.
    case account([KeySelection<ApproovMessageKey>.Entry])

    /// Finds the key from the claims of an authentic token.
    init(
        _ claims: ApproovClaims, _ selection: KeySelection<ApproovMessageKey>, _ signer: MessageSigning.Signer
    ) throws(CheckFailure) {
        switch signer {
        case .installation: self = .installation(try Self.installationKey(claims))
        case .account: self = .account(try Self.accountKeys(claims, selection))
        }
    }

    private static func installationKey(_ claims: ApproovClaims) throws(CheckFailure) -> ECDSAPublicKey {
        guard let info = claims.installationKey else {
            throw CheckFailure(
                .installationKeyMissing,
                "the token names no key of the installation, ipk, so that no key can verify the signature"
            )
        }
        let key: ECDSAPublicKey
        do throws(DecodeError) { key = try ECDSAPublicKey(subjectPublicKeyInfo: info[...]) } catch {
            throw CheckFailure(error.within("ipk"))
        }
        guard key.curve == .p256 else {
            throw CheckFailure(
                .installationKeyCurve, "the key of the installation, ipk, is on \(key.curve), expected p256")
        }
        return key
    }

    private static func accountKeys(
        _ claims: ApproovClaims, _ selection: KeySelection<ApproovMessageKey>
    ) throws(CheckFailure) -> [KeySelection<ApproovMessageKey>.Entry] {
        guard let id = claims.messageKeyID else {
            throw CheckFailure(
                .messageKeyIDMissing, "the token names no message signing key of the account, mskid")
        }
        let live = selection.live.filter { $0.material.keyID.isByteEqual(to: id) }
        guard live.isEmpty else { return live }
        if let other = selection.others.first(where: { $0.material.keyID.isByteEqual(to: id) }) {
            throw CheckFailure(
                .keyNotLive,
                "the token names the key \"\(id.excerpt)\", and \(other.name.excerpt) is not live: \(other.state)")
        }
        let known = selection.live.map { "\($0.material.keyID.excerpt) (\($0.name.excerpt))" }
        throw CheckFailure(
            .unknownKeyID,
            "the token names the key \"\(id.excerpt)\" in mskid, and the live message signing keys are "
                + (known.isEmpty ? "none" : known.joined(separator: ", ")))
    }

    /// Verifies a signature over a signature base. For an account, also returns the name of the key.
    func verifies(_ signature: [UInt8], over base: [UInt8]) -> (isValid: Bool, name: String?) {
        switch self {
        case .installation(let key):
            return (key.isValidSignature(p1363: signature, for: base[...], digest: .sha256), nil)
        case .account(let entries):
            for entry in entries
            where ConstantTime.equals(HMAC.sha256(key: entry.material.secret, base[...]), signature) {
                return (true, entry.name)
            }
            return (false, nil)
        }
    }
}

extension CheckCode {
    fileprivate static let installationKeyMissing = CheckCode(
        "ipk-missing",
        "The token has no `ipk`: enable installation message signing for the account, or correct `signer`.")
    fileprivate static let installationKeyCurve = CheckCode(
        "wrong-curve", "The installation's key is not on P-256: no genuine SDK makes such a key.", remedy: .nothing)
    static let messageKeyIDMissing = CheckCode(
        "mskid-missing",
        "The token has no `mskid`: enable account message signing for the account, or correct `signer` for messages.")
}
