import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// A fixed authority, app and time.
enum Fixtures {
    static let time = Date(timeIntervalSince1970: 1_795_132_800)
    static let digest = [UInt8](repeating: 7, count: 32)
    static let challenge = Array("challenge".utf8)
    static let package = "com.example.shop"
    static let authority = Result {
        try AndroidKeyTestAuthority(seed: "android-key tests", notBefore: time.addingTimeInterval(-400 * 86_400))
    }
    private static let roots = Result {
        try authority.get().rootCertificates.map { try Certificate(der: $0[...]) }
    }

    static func blueprint(
        _ device: AndroidKeyDevice = .factory, _ algorithm: AndroidAttestedKey.Algorithm = .p256,
        label: String = "device"
    ) throws -> AndroidKeyAttestationBlueprint {
        try AndroidKeyAttestationBlueprint(
            authority: authority.get(), key: AndroidAttestedKey(algorithm, seed: "android-key tests", label: label),
            packageName: package, certificateDigest: digest, versionCode: 42, device: device, challenge: challenge,
            issuedAt: time)
    }

    static func configuration(
        _ rules: AndroidKeyConfiguration.Rules = .init(), challenge: AndroidKeyConfiguration.ChallengeSource = .caller,
        versions: VersionRules<Int64> = VersionRules(minimum: 42), statusList: AttestationStatusRule = .none,
        reattestation: AndroidKeyConfiguration.Reattestation? = nil, testRoots: [Certificate]? = nil,
        packages: [String] = [package]
    ) throws -> AndroidKeyConfiguration {
        let roots = try testRoots ?? roots.get()
        return try AndroidKeyConfiguration(
            packages: packages, certificateDigests: [digest], challenge: challenge, statusList: statusList,
            rules: rules
        ) {
            $0.versions = versions
            if let reattestation { $0.reattestation = reattestation }
            $0.testRoots = roots
        }
    }

    static func verifier(
        _ configuration: AndroidKeyConfiguration, ledger: any Ledger = MemoryLedger(),
        services: [any EngineService] = []
    ) throws -> Verifier {
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: ledger, services: services)
    }
}

extension MintedKeyAttestation {
    var input: KeyAttestationInput { KeyAttestationInput(certificates: certificates, challenge: challenge) }
}

/// The verdict on a blueprint after a change.
func judge(
    _ device: AndroidKeyDevice = .factory, under configuration: AndroidKeyConfiguration? = nil,
    at time: Date = Fixtures.time,
    _ change: (inout AndroidKeyAttestationBlueprint) throws -> Void = { _ in }
) async throws -> Verdict {
    var blueprint = try Fixtures.blueprint(device)
    try change(&blueprint)
    return try await judge(blueprint.mint().input, under: configuration, at: time)
}

func judge(
    _ input: KeyAttestationInput, under configuration: AndroidKeyConfiguration? = nil, at time: Date = Fixtures.time
) async throws -> Verdict {
    let configuration = try configuration ?? Fixtures.configuration()
    return try await Fixtures.verifier(configuration).verify(input, at: time)
}

/// The first failed check of a verdict with its code, such as `chain untrusted`; `accept` for none.
func outcome(_ verdict: Verdict) -> String {
    guard let failed = verdict.checks.first(where: { $0.status == .failed }) else {
        return verdict.outcome == .accept ? "accept" : "reject without a failed check"
    }
    return "\(failed.check.name.replacing("android-key.attestation.", with: "")) \(failed.finding?.code ?? "")"
}
