import AssayCore
package import AssayTesting
package import FoundationEssentials

/// The shared inputs of all vectors: one app, one authority, one time. Each vector has its own key.
package struct AppAttestVectorMint {
    static let app = "vectors"
    static let appID = "1234567890.com.example.vectors"
    static let otherAppID = "1234567890.com.example.other"

    let seed: String
    package let authority: TestAuthority
    let time: Date

    package init(seed: String, time: Date) throws(MintingError) {
        self.seed = seed
        self.time = time
        authority = try TestAuthority(seed: seed, notBefore: Self.notBefore(time))
    }

    /// The start of validity of the authorities' certificates.
    static func notBefore(_ time: Date) -> Date { time.addingTimeInterval(-400 * 86_400) }

    /// A second authority with the same names and other keys, as an attacker can create it.
    func lookalike() throws(MintingError) -> TestAuthority {
        try TestAuthority(
            organization: authority.organization, seed: "\(seed)/lookalike", notBefore: Self.notBefore(time))
    }

    func key(_ id: String) -> AttestedKey { AttestedKey(seed: seed, label: id) }

    func challenge(_ id: String) -> [UInt8] { Array("challenge for \(id)".utf8) }

    /// Client data in the form that the strict policies demand.
    func clientData(_ id: String) -> [UInt8] {
        Array("{\"challenge\":\"\(Data(challenge(id)).base64EncodedString())\",\"amount\":42}".utf8)
    }

    func attestation(_ id: String, device: AppAttestDevice = .iOS26) -> AttestationBlueprint {
        AttestationBlueprint(
            authority: authority, key: key(id), appID: Self.appID, device: device,
            clientData: .bytes(challenge(id)), issuedAt: time)
    }

    func assertion(_ id: String, counter: UInt32 = 1, clientData: [UInt8]? = nil) -> AssertionBlueprint {
        AssertionBlueprint(
            key: key(id), appID: Self.appID, counter: counter, clientData: .bytes(clientData ?? self.clientData(id)))
    }
}
