import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Evidence minted under a test authority, and its policy and verifier.
enum Fixtures {
    static let appID = "1234567890.com.example.shop"
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let challenge = Array("a challenge of the server".utf8)

    static let authority: Result<TestAuthority, any Error> = Result {
        try TestAuthority(seed: "app attest tests", notBefore: now.addingTimeInterval(-90 * 86400))
    }

    /// The policy of an app that trusts the test authority.
    static func configuration(
        environments: [AttestEnvironment] = [.production],
        challenge: AppAttestConfiguration.ChallengeSource = .caller,
        clientData: AppAttestConfiguration.ClientDataBinding = .none,
        counter: CounterAdvance.Rule = .increasing,
        reattestation: AppAttestConfiguration.Reattestation? = nil,
        account: AppAttestConfiguration.AccountBinding = .match,
        maximumKeys: AccountKeyLimit? = nil,
        versions: VersionRules<DottedVersion> = VersionRules(),
        appIDs: [String] = [appID],
        validationCategories: [ValidationCategory]? = nil,
        receipt: AppAttestConfiguration.ReceiptRules = .init(),
        requests: RequestRules? = nil,
        isTest: Bool = true
    ) throws -> AppAttestConfiguration {
        let roots = try PEM.certificates(in: Array(authority.get().rootPEM.utf8))
        return try AppAttestConfiguration(
            appIDs: appIDs, environments: environments, challenge: challenge, clientData: clientData
        ) {
            $0.counter = counter
            if let reattestation { $0.reattestation = reattestation }
            $0.account = account
            $0.maximumKeys = maximumKeys
            $0.versions = versions
            $0.validationCategories = validationCategories
            $0.receipt = receipt
            $0.requests = requests
            $0.testRoots = isTest ? roots : []
        }
    }

    static func expectations(
        _ configuration: AppAttestConfiguration, modes: [CheckID: CheckMode] = [:]
    ) -> AppAttestExpectations {
        AppAttestExpectations(app: "shop", configuration: configuration, modes: modes)
    }

    static func verifier(
        _ configuration: AppAttestConfiguration, modes: [CheckID: CheckMode] = [:], ledger: any Ledger = MemoryLedger()
    ) throws -> Verifier {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], modes: modes, catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger)
    }

    static func attestation(
        key: AttestedKey = AttestedKey(), device: AppAttestDevice = .iOS26
    ) throws -> AttestationBlueprint {
        AttestationBlueprint(
            authority: try authority.get(), key: key, appID: appID, device: device, clientData: .bytes(challenge),
            issuedAt: now)
    }

    static func input(_ minted: MintedAttestation) -> AttestationInput {
        AttestationInput(
            keyID: minted.keyID, attestation: minted.attestation,
            clientData: minted.clientData.input)
    }

    /// The input of a verification, and the key as a backend without a ledger stores it.
    static func input(
        _ minted: MintedAssertion, challenge: [UInt8]? = nil
    ) -> (input: AssertionInput, key: AssertionKeys.Supplied) {
        (
            AssertionInput(
                keyID: minted.keyID, assertion: minted.assertion, clientData: minted.clientData.input,
                challenge: challenge),
            AssertionKeys.Supplied(publicKey: minted.publicPoint, counter: 0)
        )
    }
}

extension AppAttestClientData {
    /// The same, as input for the library.
    var input: ClientDataInput {
        switch self {
        case .bytes(let bytes): .data(bytes)
        case .hash(let hash): .hash(hash)
        }
    }
}
