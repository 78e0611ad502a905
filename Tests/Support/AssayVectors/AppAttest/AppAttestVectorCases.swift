import AssayCore
package import AssayTesting
package import FoundationEssentials

extension AppAttestVectorMint {
    /// An attestation that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - delay: seconds from issue to reception.
    ///   - keyID: the text of `keyId` if it differs from the key's ID.
    ///   - clientData: the client data in the record if it differs from the device's.
    package func attestation(
        _ id: String, _ outcome: VectorOutcome, device: AppAttestDevice = .iOS26, delay: TimeInterval = 0,
        keyID: String? = nil, clientData: AppAttestClientData? = nil,
        change: @escaping (inout AttestationBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = attestation(id, device: device)
            change(&blueprint)
            var minted = try blueprint.mint()
            if let clientData { minted.clientData = clientData }
            return minted.record(
                id: id, keyID: keyID, app: Self.app, receivedAt: time.addingTimeInterval(delay),
                expect: outcome.expectation("app-attest.attestation"))
        }
    }

    /// An assertion that differs from a genuine one in one respect.
    ///
    /// - Parameters:
    ///   - clientData: the client data in the record if it differs from the device's.
    ///   - namesChallenge: whether the record states the challenge that the client data must contain.
    func assertion(
        _ id: String, _ outcome: VectorOutcome, counter: UInt32 = 1, stored: UInt32? = 0,
        clientData: AppAttestClientData? = nil, namesChallenge: Bool = false, publicKey: [UInt8]? = nil,
        change: @escaping (inout AssertionBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        {
            var blueprint = assertion(id, counter: counter)
            // The server expects the same key even if another key signs.
            let key = blueprint.key
            change(&blueprint)
            return try blueprint.mint().record(
                id: id, keyID: Data(key.keyID).base64EncodedString(), app: Self.app, receivedAt: time,
                challenge: namesChallenge ? challenge(id) : nil, clientData: clientData, storedCounter: stored,
                publicKey: publicKey ?? key.publicPoint, expect: outcome.expectation("app-attest.assertion"))
        }
    }
}
