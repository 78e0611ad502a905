import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Attestations of several devices under a test authority, and an assertion of each: evidence that peers accept too,
/// which have no way to be told a time and ask the clock.
struct MintedAppAttestSubject: Sendable {
    static let appID = "1234567890.com.example.shop"

    let now: Date
    let authority: TestAuthority
    let attestations: [MintedAttestation]
    let assertions: [MintedAssertion]
    /// The keys in the form in which peers load them.
    let publicKeys: [[UInt8]]
    private let attestationInputs: [AttestationInput]
    private let assertionInputs: [(input: AssertionInput, keys: AssertionKeys)]
    private let withReceipt: AppAttestExpectations
    private let withoutReceipt: AppAttestExpectations

    /// Mints what was issued an hour ago.
    init(now: Date, devices: Int = 16) throws {
        self.now = now
        let issued = now - 3600
        let authority = try TestAuthority(notBefore: now - 86_400)
        self.authority = authority
        let keys = (0..<devices).map { _ in AttestedKey() }
        publicKeys = keys.map { $0.key.subjectPublicKeyInfo() }
        attestations = try keys.indices.map { index in
            try AttestationBlueprint(
                authority: authority, key: keys[index], appID: Self.appID,
                clientData: .bytes([UInt8](repeating: UInt8(index), count: 32)), issuedAt: issued
            ).mint()
        }
        let clientData = Array(#"{"challenge":"4mpJ6hbzbjPhGBYwU2ycGZqqbJvPtqD4d2NXWyFGKgM","amount":100}"#.utf8)
        let assertions = try keys.map { key in
            try AssertionBlueprint(key: key, appID: Self.appID, counter: 1, clientData: .bytes(clientData)).mint()
        }
        attestationInputs = attestations.map(Self.input)
        self.assertions = assertions
        let root = try Certificate(der: authority.rootCertificate[...])
        let configuration = try AppAttestConfiguration(
            appIDs: [Self.appID], environments: [.production], challenge: .caller, clientData: .none
        ) { $0.testRoots = [root] }
        let receipt = CheckID.appAttestAttestationReceipt
        withReceipt = AppAttestExpectations(app: "benchmark", configuration: configuration, modes: [receipt: .enforce])
        withoutReceipt = AppAttestExpectations(app: "benchmark", configuration: configuration, modes: [receipt: .off])
        let (inputs, expectations) = (attestationInputs, withoutReceipt)
        assertionInputs = assertions.indices.map { index in
            // What a ledger keeps of the key is what its attestation has enrolled.
            let effects = AttestationAssessor.assess(inputs[index], expectations: expectations, now: now).effects
            let enrolled = effects.lazy.compactMap { effect -> EnrolledKey? in
                switch effect.action {
                case .enrol(let key, _): key
                default: nil
                }
            }.first
            guard let enrolled else { stop("the attestation enrols no key") }
            return (
                AssertionInput(
                    keyID: assertions[index].keyID, assertion: assertions[index].assertion,
                    clientData: .data(clientData)),
                AssertionKeys(enrolled: enrolled, supplied: nil, durability: .durable, blocks: [])
            )
        }
    }

    /// Whether an attestation under the same authority holds.
    func accepts(_ minted: MintedAttestation) -> Bool {
        AttestationAssessor.assess(Self.input(minted), expectations: withReceipt, now: now).isAcceptable
    }

    private static func input(_ minted: MintedAttestation) -> AttestationInput {
        AttestationInput(
            keyID: minted.keyID, attestation: minted.attestation, clientData: .hash(minted.clientData.hash))
    }

    /// Judges attestations and their receipts.
    @Sendable func attest(_ count: Int) { attest(count, withReceipt) }

    /// Judges attestations and does not look at their receipts.
    @Sendable func attestWithoutReceipt(_ count: Int) { attest(count, withoutReceipt) }

    private func attest(_ count: Int, _ expectations: AppAttestExpectations) {
        for index in 0..<count {
            let assessment = AttestationAssessor.assess(
                attestationInputs[index % attestationInputs.count], expectations: expectations, now: now)
            require(assessment.isAcceptable, "the attestation does not hold: \(assessment.checks)")
        }
    }

    /// Judges assertions.
    @Sendable func assert(_ count: Int) {
        for index in 0..<count {
            let (input, keys) = assertionInputs[index % assertionInputs.count]
            let assessment = AssertionAssessor.assess(input, keys: keys, expectations: withReceipt, now: now)
            require(assessment.isAcceptable, "the assertion does not hold: \(assessment.checks)")
        }
    }
}
