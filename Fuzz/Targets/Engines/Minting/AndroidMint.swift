import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A test authority of Android Key Attestation, a device, and their signers.
enum AndroidMint {
    static let packageName = "com.example.shop"
    static let digest = [UInt8](repeating: 0x6A, count: 32)
    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let challenge = Array("challenge-of-the-server-0123456789".utf8)

    /// The key of the attestation certificate, and the key of the certificate above it.
    static let attestationSigner = signer("attestation")
    static let intermediateSigner = signer("intermediate")
    static let deviceSigner = signer("device")
    static let device = AndroidAttestedKey(key: AndroidTestKey(deviceSigner.key))
    static let rsaDevice = making("no RSA key") { () throws(MintingError) in
        try AndroidAttestedKey(.rsa2048, seed: "fuzz/android", label: "rsa")
    }
    static let otherKey = signer("another").key.subjectPublicKeyInfo()

    private static func signer(_ label: String) -> FixedNonceSigner {
        making("no key") { () throws(MintingError) in try FixedNonceSigner("fuzz/android/\(label)") }
    }

    private static func making<Value>(_ problem: String, _ body: () throws -> Value) -> Value {
        do { return try body() } catch { FuzzTarget.broken("\(problem): \(error)") }
    }

    static let authority = making("no authority") { () throws(MintingError) in
        try AndroidKeyTestAuthority(organization: "Fuzz", seed: "fuzz", notBefore: now - 30 * 86_400)
    }

    /// The chain of a device. The first two issuers have the keys of the signers.
    static func chain(_ model: AndroidKeyDevice) -> AndroidKeyAttestationBlueprint {
        making("no chain") { () throws(MintingError) in
            var blueprint = try AndroidKeyAttestationBlueprint(
                authority: authority, key: device, packageName: packageName, certificateDigest: digest, device: model,
                challenge: challenge, issuedAt: now)
            let (attestation, intermediate) = (
                AndroidTestKey(attestationSigner.key), AndroidTestKey(intermediateSigner.key)
            )
            blueprint.issuers[1].replaceKey(with: intermediate)
            blueprint.issuers[0].replaceKey(with: attestation)
            blueprint.issuers[0].sign(with: intermediate)
            blueprint.leaf.sign(with: attestation)
            return blueprint
        }
    }

    /// The certificates of a chain, in DER.
    static func certificates(_ blueprint: AndroidKeyAttestationBlueprint) -> [[UInt8]] {
        making("no certificates") { () throws(MintingError) in try blueprint.mint().certificates }
    }

    /// A verifier that trusts the authority.
    static let verifier: Verifier = making("no policy") {
        let roots = try PEM.certificates(in: Array(authority.rootPEM.utf8))
        let configuration = try AndroidKeyConfiguration(
            packages: [packageName], certificateDigests: [digest], challenge: .ledger, statusList: .none
        ) {
            $0.requests = RequestRules()
            $0.testRoots = roots
        }
        return Verifier(
            policy: try VerificationPolicy(
                apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue),
            ledger: MemoryLedger())
    }

    /// The enrolment of a key, as its attestation would have it.
    static func enrolment(_ key: AndroidAttestedKey) -> LedgerEffect {
        let chain = making("no chain") { () throws(MintingError) in
            try AndroidKeyAttestationBlueprint(
                authority: authority, key: key, packageName: packageName, certificateDigest: digest,
                challenge: challenge,
                issuedAt: now
            ).mint()
        }
        let record = chain.record(id: "", app: "shop", receivedAt: now)
        let assessment = Blocking.wait { () async -> Assessment? in
            try? await verifier.assess(record, ledger: MemoryLedger(), at: now)
        }
        guard let effect = assessment?.effects.last, case .enrol = effect.action else {
            FuzzTarget.broken("the key of the device is not enrolled")
        }
        return effect
    }

    /// The challenge in the ledger.
    static let issued = IssuedChallenge(
        value: challenge, app: "shop", purpose: ChallengePurpose(.androidKeyAttestation), issuedAt: now - 60,
        expiresAt: now + 300)
}
