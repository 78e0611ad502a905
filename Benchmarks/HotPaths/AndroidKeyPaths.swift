import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

extension AndroidKeyEngine: MeasuredEngine {
    static var hotPaths: [HotPath] { AndroidKeyPaths.all }
    static var verifierPaths: [HotPath] { VerifierPaths.androidKey }
}

/// Android Key Attestation without a ledger, from the bytes of the certificates to an assessment.
enum AndroidKeyPaths {
    static let packageName = "com.example.shop"
    static let now = AppAttestPaths.now
    private static let seed = "hot paths"
    private static let digest = [UInt8](repeating: 0x6A, count: 32)

    static var all: [HotPath] {
        [
            HotPath("key-attestation-new-issuers", count: 5, prepare: newIssuers),
            HotPath("key-attestation-new-device", count: 5) { total in
                let authority = try authority()
                return try assessing(
                    (0..<total).map { try blueprint(authority, .remote, device: $0) }, authority)
            },
            HotPath("key-attestation", count: 20) { total in
                let authority = try authority()
                return try assessing([blueprint(authority, .factory, device: 0)], authority)
            },
            HotPath("key-attestation-rsa", count: 20) { total in
                let authority = try authority()
                return try assessing([blueprint(authority, .factory, device: 0, .rsa2048)], authority)
            },
        ]
    }

    /// The authority, whose RSA root is as long as Google's.
    static func authority() throws -> AndroidKeyTestAuthority {
        try AndroidKeyTestAuthority(seed: seed, notBefore: now - 86_400, rsaRootBits: 4096)
    }

    static func configuration(
        _ authority: AndroidKeyTestAuthority, challenge: AndroidKeyConfiguration.ChallengeSource
    ) throws -> AndroidKeyConfiguration {
        let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
        return try AndroidKeyConfiguration(
            packages: [packageName], certificateDigests: [digest], challenge: challenge, statusList: .none
        ) {
            $0.requests = RequestRules()
            $0.testRoots = roots
        }
    }

    static func blueprint(
        _ authority: AndroidKeyTestAuthority, _ model: AndroidKeyDevice, device: Int,
        _ algorithm: AndroidAttestedKey.Algorithm = .p256, challenge: [UInt8] = [UInt8](repeating: 0x43, count: 32)
    ) throws -> AndroidKeyAttestationBlueprint {
        try AndroidKeyAttestationBlueprint(
            authority: authority, key: AndroidAttestedKey(algorithm, seed: seed, label: "device-\(device)"),
            packageName: packageName, certificateDigest: digest, device: model, challenge: challenge, issuedAt: now)
    }

    static func input(_ blueprint: AndroidKeyAttestationBlueprint) throws -> KeyAttestationInput {
        let minted = try blueprint.mint()
        return KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge)
    }

    /// Factory chains, each with an attestation certificate and an intermediate that no other chain has.
    private static func newIssuers(_ total: Int) throws -> HotPath.Work {
        let authority = try authority()
        return try assessing(
            (0..<total).map { number in
                var blueprint = try blueprint(authority, .factory, device: number)
                blueprint.issuers[1].fields.serialNumber += [UInt8(number >> 8), UInt8(number & 0xFF)]
                return blueprint
            }, authority)
    }

    /// Assesses chains in turn.
    private static func assessing(
        _ blueprints: [AndroidKeyAttestationBlueprint], _ authority: AndroidKeyTestAuthority
    ) throws -> HotPath.Work {
        let expectations = AndroidKeyExpectations(
            app: "shop", configuration: try configuration(authority, challenge: .caller), modes: [:])
        let inputs = try blueprints.map(input)
        var next = 0
        return { count in
            for _ in 0..<count {
                let assessment = KeyAttestationAssessor.assess(
                    inputs[next % inputs.count], status: .none, expectations: expectations, now: now)
                try require(
                    assessment.isAcceptable, "the attestation: \(assessment.checks.filter { $0.status == .failed })")
                next += 1
            }
        }
    }
}
