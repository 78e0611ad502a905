import AssayCore
import AssayPrimitives
import FoundationEssentials

/// Tokens in Approov's format.
extension TokenIssuer {
    /// The token for an accepted verdict.
    func issue(
        under account: ApproovTokenSecret, for verdict: Verdict, at now: Date
    ) throws(VerificationError) -> TokenGrant {
        let device = device(verdict.engineSubject).flatMap {
            try? Base64.decode(secret.pseudonym(of: $0, app: expectations.app), .url)
        }
        return try token(under: account, device: device.map { Array($0.prefix(16)) }, verdict, messageSecret, at: now)
    }

    /// A token of the same form that no backend accepts.
    func decoy(
        like account: ApproovTokenSecret, for verdict: Verdict?, at now: Date
    ) throws(VerificationError) -> TokenGrant {
        try token(
            under: ApproovTokenSecret(keyID: account.keyID), device: nil, verdict, messageSecret?.decoy, at: now)
    }

    private func token(
        under account: ApproovTokenSecret, device: [UInt8]?, _ verdict: Verdict?,
        _ messageSecret: ApproovMessageSecret?,
        at now: Date
    ) throws(VerificationError) -> TokenGrant {
        let configuration = expectations.configuration
        let life = configuration.tokenLife(after: verdict).rounded(.down)
        var properties = named(verdict).map(ForeignClaims.Approov.property)
        if verdict?.isOfDevelopment == true { properties.append(ForeignClaims.Approov.developmentProperty) }
        // In a decoy too, which has the form of the token.
        if isOfTestAuthority || verdict?.testAuthority != nil {
            properties.append(ForeignClaims.Approov.testProperty)
        }
        let code = ResponseCode.text(verdict?.failed ?? [], verdict?.annotated ?? [], under: secret)
        let claims = ForeignClaims.Approov(
            properties: properties, code: code, device: device ?? ApproovTokenSecret.random(16),
            expiresAt: Int64((now.timeIntervalSince1970 + life).rounded(.down)),
            address: configuration.shape.address == .none ? nil : address, publicKey: request.publicKey,
            messageKeyID: messageSecret?.keyID, binding: request.binding)
        guard let text = account.token(claims.json, configuration.shape.approovForm) else {
            throw .outage(KeyStoreOutage(.internalError, "the token could not be signed"))
        }
        return grant(text, life, .approov, code: code, messageKey: messageSecret?.secret)
    }

    /// The client's address: as the caller saw it, otherwise as the record has it.
    private var address: String? {
        if let address = request.address { return address }
        guard case .text(let text)? = request.record.evidence["address"]?.content else { return nil }
        return text
    }
}
