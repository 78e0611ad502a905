import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A measurement proof. Its parts are edited before it is computed, and after.
struct FuzzedApproovProof: EditableEvidence {
    static let binaryFields: Set<String> = ["nonce", "proof", "mpk", "imh", "dmh"]

    /// The source of the measurements.
    enum Carrier: Sendable {
        case measurements
        case token
        case sealed
    }

    private let carrier: Carrier
    private var claims = ApproovMint.measured
    private var measurements = EngineKeys.measurements
    private var nonce = [UInt8](repeating: 0x4E, count: 16)
    private var measurement = EngineKeys.measurements.integrity ?? []
    private var proof: Edit?
    private var word: String?
    private var delay = 0

    init(_ carrier: Carrier) {
        self.carrier = carrier
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 9 {
        case 0, 1: claims.apply(edit)
        case 2: nonce = edit.bytes(nonce)
        case 3: measurement = edit.operation & 1 == 0 ? EngineKeys.measurements.device ?? [] : edit.bytes(measurement)
        case 4: proof = edit
        case 5: measurements.proofKey = edit.operation & 1 == 0 ? nil : measurements.proofKey.map { edit.bytes($0) }
        case 6: measurements.integrity = edit.operation & 1 == 0 ? nil : measurements.integrity.map { edit.bytes($0) }
        case 7: word = edit.operation & 1 == 0 ? "device" : edit.text
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        let genuine = measurements.proof(nonce: nonce, of: measurement)
        let proof = proof.map { $0.bytes(genuine) } ?? genuine
        guard let source else { return nil }
        var blueprint = ApproovProofBlueprint(nonce: nonce, proof: proof, source: source)
        blueprint.measurement = word
        let record = blueprint.record(id: "", app: "api", receivedAt: ApproovMint.now)
        var submission = Submission(
            record, now: ApproovMint.now + Double(delay), objection: objection(proof), mayBeUnreadable: true)
        submission.mayShowMeasurements = carrier == .token && claims != ApproovMint.measured
        return submission
    }

    private var source: ApproovProofBlueprint.Source? {
        switch carrier {
        case .measurements: return .measurements(measurements)
        case .token: return .token(String(decoding: ApproovMint.token(claims.encoded), as: UTF8.self))
        case .sealed:
            var token = ApproovMeasurementTokenBlueprint(
                measurements, for: ApproovMint.hardware.publicPoint, issuedAt: ApproovMint.now,
                ephemeralKey: TestKey(.p256, seed: "fuzz/approov", label: "ephemeral"))
            token.initializationVector = [UInt8](repeating: 9, count: 12)
            return (try? token.mint()).map { .sealed($0) }
        }
    }

    /// Why a proof must not be accepted; nil if no reason is known. For changed claims, only the checks of the token's
    /// claims apply.
    private func objection(_ proof: [UInt8]) -> String? {
        guard nonce.count == 16, proof.count == 32 else { return "nonce or proof has another length" }
        if carrier == .token {
            if let objection = ApproovMint.objection(to: claims, session: nil, delay: delay) { return objection }
            guard claims == ApproovMint.measured else { return nil }
        }
        let known = carrier == .token ? EngineKeys.measurements : measurements
        guard let key = known.proofKey else { return "there is no key of proofs" }
        let candidates = [known.integrity, known.device].compactMap { $0 }
        let isProven = candidates.contains { HMAC.sha256(key: key, nonce + $0) == proof }
        return isProven ? nil : "it proves neither measurement"
    }

    /// The unproven measurement may have any value of the same length.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        guard case .object(let before)? = closed["measurements"]?.content,
            case .object(let after)? = changed["measurements"]?.content
        else { return "it was changed after it had been closed" }
        let isSame = ["nonce", "proof"].allSatisfy { name in
            guard let one = closed[name]?.content, let other = changed[name]?.content else { return false }
            return RecordLeaves.isSame(one, other)
        }
        let isProvenSame = ["mpk", "imh"].allSatisfy { name in
            guard let one = before[name]?.content, let other = after[name]?.content else { return false }
            return RecordLeaves.isSame(one, other)
        }
        return isSame && isProvenSame ? nil : "it was changed after it had been closed"
    }
}

extension FuzzTarget {
    /// `verify` of measurement proofs, against measurements, a token with measurements, and a measurement token.
    static let approovProof = engine("verify-approov-proof", dictionary: ["integrity", "device", "mpk", "imh", "dmh"]) {
        () -> EngineFuzz<FuzzedApproovProof> in
        let verifier = ApproovMint.verifier(binding: [])
        return EngineFuzz(
            .init(FuzzedApproovProof(.measurements), verifier, isSingleUse: false),
            .init(FuzzedApproovProof(.token), verifier, isSingleUse: false),
            .init(FuzzedApproovProof(.sealed), verifier, isSingleUse: false))
    }
}
