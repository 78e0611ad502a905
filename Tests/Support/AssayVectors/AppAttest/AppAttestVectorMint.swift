import AssayCore
package import AssayTesting
package import FoundationEssentials

/// What all vectors have in common: one app, one authority, one time, and a key of its own for each.
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

    /// When the certificates of authorities become valid.
    static func notBefore(_ time: Date) -> Date { time.addingTimeInterval(-400 * 86_400) }

    /// A second authority with the same names and other keys: what an attacker can make.
    func lookalike() throws(MintingError) -> TestAuthority {
        try TestAuthority(
            organization: authority.organization, seed: "\(seed)/lookalike", notBefore: Self.notBefore(time))
    }

    func key(_ id: String) -> AttestedKey { AttestedKey(seed: seed, label: id) }

    func challenge(_ id: String) -> [UInt8] { Array("challenge for \(id)".utf8) }

    /// Client data of the form that the strict policies demand.
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
