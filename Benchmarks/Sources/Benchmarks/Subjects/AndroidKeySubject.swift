import AndroidKey
import Assay
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization

/// Chains from the factory, each with an attestation certificate and an intermediate of its own: more than the engine remembers.
struct AndroidKeySubject: Sendable {
    private static let packageName = "com.example.shop"
    private static let digest = [UInt8](repeating: 0x6A, count: 32)
    /// More than the 512 chains whose issuers the engine remembers, the oldest of which it forgets first.
    private static let chains = 520

    let authority: AndroidKeyTestAuthority
    /// The certificates of each chain, leaf first.
    let certificates: [[[UInt8]]]
    let challenge = [UInt8](repeating: 0x43, count: 32)
    let bare: [BareChainSignatures]
    private let inputs: [KeyAttestationInput]
    private let expectations: AndroidKeyExpectations
    private let knowing: AndroidKeyExpectations
    private let now: Date
    private let next = NextChain()

    /// Mints what was issued an hour ago. The root is as long as Google's.
    init(now: Date) throws {
        self.now = now
        let authority = try AndroidKeyTestAuthority(
            seed: "benchmarks", notBefore: now - 86_400, rsaRootBits: 4096)
        self.authority = authority
        let challenge = challenge
        let key = try AndroidAttestedKey(seed: "benchmarks", label: "device")
        let genuine = try AndroidKeyAttestationBlueprint(
            authority: authority, key: key, packageName: Self.packageName, certificateDigest: Self.digest,
            device: .factory, challenge: challenge, issuedAt: now - 3600)
        certificates = try (0..<Self.chains).map { number in
            var blueprint = genuine
            for index in 0...1 {
                blueprint.issuers[index].fields.serialNumber += [UInt8(number >> 8), UInt8(number & 0xFF)]
            }
            return try blueprint.mint().certificates
        }
        inputs = certificates.map { KeyAttestationInput(certificates: $0, challenge: challenge) }
        let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
        let configuration = try AndroidKeyConfiguration(
            packages: [Self.packageName], certificateDigests: [Self.digest], challenge: .caller, statusList: .none
        ) { $0.testRoots = roots }
        expectations = AndroidKeyExpectations(app: "benchmark", configuration: configuration, modes: [:])
        knowing = AndroidKeyExpectations(app: "benchmark", configuration: configuration, modes: [:])
        bare = try certificates.prefix(16).map { chain in
            let parsed = try chain.map { try Certificate(der: $0[...]) }
            let links = zip(parsed, parsed.dropFirst()).map { certificate, issuer in
                BareChainSignatures.Link(
                    message: Array(certificate.tbsBytes), signature: Array(certificate.signature),
                    key: Array(issuer.subjectPublicKeyInfo))
            }
            guard let bare = BareChainSignatures(links), bare.verify() else { stop("the chain does not verify") }
            return bare
        }
    }

    /// Judges chains whose issuers are new.
    @Sendable func attestWithNewIssuers(_ count: Int) {
        for _ in 0..<count { attest(inputs[next.take() % inputs.count], expectations) }
    }

    /// Goes on in each round where the last one ended: from the beginning, the first chains would still be known.
    private final class NextChain: Sendable {
        private let number = Atomic(0)

        func take() -> Int { number.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    /// Judges chains whose issuers are known, but for the first time.
    @Sendable func attestWithKnownIssuers(_ count: Int) {
        for index in 0..<count { attest(inputs[index % 16], knowing) }
    }

    private func attest(_ input: KeyAttestationInput, _ expectations: AndroidKeyExpectations) {
        let assessment = KeyAttestationAssessor.assess(input, status: .none, expectations: expectations, now: now)
        require(assessment.isAcceptable, "the attestation does not hold: \(assessment.checks)")
    }

    /// Verifies the signatures of chains and nothing else.
    @Sendable func verifySignatures(_ count: Int) {
        for index in 0..<count { require(bare[index % bare.count].verify(), "a signature") }
    }

    /// Verifies the signatures of leaves and nothing else.
    @Sendable func verifyLeaves(_ count: Int) {
        for index in 0..<count { require(bare[index % bare.count].verifyFirst(), "a signature") }
    }
}
