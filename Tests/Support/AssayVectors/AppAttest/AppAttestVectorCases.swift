package import AssayCore
package import AssayTesting
package import FoundationEssentials

/// An attestation that differs from a genuine one in one respect.
package struct AttestationCase: VectorCase {
    let id: String
    let outcome: VectorOutcome
    var device = AppAttestDevice.iOS26
    /// Seconds from issue to reception.
    var delay: TimeInterval = 0
    /// The text of `keyId`, where it is not that of the key.
    var keyID: String?
    /// The client data of the record, where it is not what the device had.
    var clientData: AppAttestClientData?
    var change: (inout AttestationBlueprint) -> Void = { _ in }

    package init(
        _ id: String, _ outcome: VectorOutcome, device: AppAttestDevice = .iOS26, delay: TimeInterval = 0,
        keyID: String? = nil, clientData: AppAttestClientData? = nil,
        change: @escaping (inout AttestationBlueprint) -> Void = { _ in }
    ) {
        self.id = id
        self.outcome = outcome
        self.device = device
        self.delay = delay
        self.keyID = keyID
        self.clientData = clientData
        self.change = change
    }

    package func record(_ mint: AppAttestVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.attestation(id, device: device)
        change(&blueprint)
        let minted = try blueprint.mint().claiming(clientData)
        return minted.record(
            id: id, keyID: keyID, app: AppAttestVectorMint.app, receivedAt: mint.time.addingTimeInterval(delay),
            expect: outcome.expectation("app-attest.attestation"))
    }
}

/// An assertion that differs from a genuine one in one respect.
package struct AssertionCase: VectorCase {
    let id: String
    let outcome: VectorOutcome
    let counter: UInt32
    let stored: UInt32?
    /// The client data of the record, where it is not what the device had.
    let clientData: AppAttestClientData?
    /// Whether the record names the challenge that the client data has to hold.
    let namesChallenge: Bool
    let publicKey: [UInt8]?
    let change: (inout AssertionBlueprint) -> Void

    init(
        _ id: String, _ outcome: VectorOutcome, counter: UInt32 = 1, stored: UInt32? = 0,
        clientData: AppAttestClientData? = nil, namesChallenge: Bool = false, publicKey: [UInt8]? = nil,
        change: @escaping (inout AssertionBlueprint) -> Void = { _ in }
    ) {
        self.id = id
        self.outcome = outcome
        self.counter = counter
        self.stored = stored
        self.clientData = clientData
        self.namesChallenge = namesChallenge
        self.publicKey = publicKey
        self.change = change
    }

    package func record(_ mint: AppAttestVectorMint) throws(MintingError) -> EvidenceRecord {
        var blueprint = mint.assertion(id, counter: counter)
        // Whose key the server expects does not change when another one signs.
        let key = blueprint.key
        change(&blueprint)
        let minted = try blueprint.mint()
        return minted.record(
            id: id, keyID: Data(key.keyID).base64EncodedString(), app: AppAttestVectorMint.app, receivedAt: mint.time,
            challenge: namesChallenge ? mint.challenge(id) : nil, clientData: clientData, storedCounter: stored,
            publicKey: publicKey ?? key.publicPoint, expect: outcome.expectation("app-attest.assertion"))
    }
}

extension MintedAttestation {
    /// The same attestation, presented with other client data than the device had.
    func claiming(_ other: AppAttestClientData?) -> MintedAttestation {
        var attestation = self
        if let other { attestation.clientData = other }
        return attestation
    }
}
