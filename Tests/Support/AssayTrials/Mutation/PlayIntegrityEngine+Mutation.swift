import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

extension PlayIntegrityEngine: MutatedEngine {
    static let dontCares: [DontCare] = [
        DontCare(
            "same-nonce", EvidenceKind.playIntegrityClassic,
            reason:
                "a nonce may be written in either alphabet of base64, with padding or without; it stands for the same bytes"
        ) { mutant in
            guard mutant.path.description == "nonce", let (old, new) = mutant.texts("nonce"),
                let nonce = AnyBase64.decode(old)
            else { return false }
            return nonce == AnyBase64.decode(new)
        },
        DontCare(
            "same-request", EvidenceKind.playIntegrityClassic, EvidenceKind.playIntegrityStandard,
            reason:
                "another token for the same request: single use, which the ledger sees to, is all that tells them apart"
        ) { mutant in
            guard let donor = mutant.donor, ["token", "decoded"].contains(mutant.path.description) else { return false }
            let request = mutant.record.kind == EvidenceKind.playIntegrityClassic ? "nonce" : "requestHash"
            return ["packageName", request].allSatisfy { name in
                guard case .text(let own)? = mutant.record.evidence[name]?.content,
                    case .text(let others)? = donor.record.evidence[name]?.content
                else { return false }
                return own.isByteEqual(to: others)
                    || (name == "nonce" && AnyBase64.decode(own) == AnyBase64.decode(others))
            }
        },
        DontCare(
            "token-beside-answer", EvidenceKind.playIntegrityRequest,
            reason: "the answer beside a request vouches for it, and the token is only remembered"
        ) { mutant in SignedView.both(mutant, ignoresValue: true).map { $0.old == $0.new } ?? false },
        DontCare(
            "answer-not-asked-for", EvidenceKind.playIntegrityClassic, EvidenceKind.playIntegrityStandard,
            EvidenceKind.playIntegrityRequest,
            reason:
                "Google's answer comes over TLS and is not signed: a change of it stands for another device, and passes "
                + "where the policy makes no demand of what is changed"
        ) { mutant in
            guard mutant.path.description == "decoded", mutant.donor == nil,
                let old = mutant.vector.record.evidence["decoded"], let new = mutant.record.evidence["decoded"]
            else { return false }
            let changes = AnswerChange.all(from: old.content, to: new.content)
            return !changes.isEmpty && changes.allSatisfy { $0.isFree(in: mutant) }
        },
    ]

    /// No gate authenticates Google's answers: TLS protects them.
    static func policyParts(of kind: EvidenceKind) -> Set<String> { ["decoded"] }

    /// Nonces are compared as text.
    static func isOpaque(_ path: RecordPath, of kind: EvidenceKind) -> Bool {
        kind == EvidenceKind.playIntegrityClassic && path.description != "decoded"
    }

    /// The plaintext of a classic token, encrypted again under the app's own key.
    static func inside(
        of text: String, at path: RecordPath, of kind: EvidenceKind, keys: TokenKeys
    ) -> (plaintext: [UInt8], seal: @Sendable ([UInt8]) -> String?)? {
        guard kind == EvidenceKind.playIntegrityClassic, path.description == "token", let inside = keys.open(text)
        else {
            return nil
        }
        return (
            inside.plaintext,
            { try? JWEBlueprint(plaintext: $0, keyManagement: .keyWrap(inside.key)).mint() }
        )
    }
}

/// A changed or removed value of Google's answer.
private struct AnswerChange {
    /// The names from `tokenPayloadExternal` to the value.
    let path: [String]
    let old: RecordValue.Content?
    let new: RecordValue.Content?

    static func all(
        from old: RecordValue.Content?, to new: RecordValue.Content?, at path: [String] = []
    ) -> [AnswerChange] {
        switch (old, new) {
        case (.object(let old)?, .object(let new)?):
            let names = old.members.map(\.name) + new.members.map(\.name).filter { old[$0] == nil }
            return names.flatMap { all(from: old[$0]?.content, to: new[$0]?.content, at: path + [$0]) }
        case (.array(let old)?, .array(let new)?) where old.count == new.count:
            return zip(old, new).flatMap { all(from: $0.content, to: $1.content, at: path) }
        default:
            return text(old) == text(new) ? [] : [AnswerChange(path: Array(path.dropFirst()), old: old, new: new)]
        }
    }

    private static func text(_ content: RecordValue.Content?) -> [UInt8]? {
        content.map { content in
            var bytes: [UInt8] = []
            RecordJSON.append(content, to: &bytes)
            return bytes
        }
    }

    /// Documented blocks, without the device labels and without the fields that bind the answer to a request and an
    /// app.
    private static let optional: Set<String> = ["accountDetails", "environmentDetails", "testingDetails"]
    private static let device: Set<String> = ["deviceAttributes", "recentDeviceActivity", "deviceRecall"]
    private static let known = optional.union(device).union([
        "requestDetails", "appIntegrity", "deviceIntegrity", "requestPackageName", "timestampMillis", "requestHash",
        "nonce", "appRecognitionVerdict", "packageName", "certificateSha256Digest", "versionCode",
        "deviceRecognitionVerdict",
    ])

    func isFree(in mutant: Mutant) -> Bool {
        guard let block = path.first else { return false }
        if AnswerChange.optional.contains(block) { return true }
        // Unknown names are ignored. A changed name was a known one before, so the removal of that must be permitted
        // too.
        if path.contains(where: { !AnswerChange.known.contains($0) }) { return true }
        switch (block, path.dropFirst().first) {
        case ("deviceIntegrity", let name?) where AnswerChange.device.contains(name): return true
        case ("deviceIntegrity", "deviceRecognitionVerdict"): return keepsLabel(mutant)
        case ("appIntegrity", "versionCode"): return isVersionEnough(mutant)
        case ("requestDetails", "timestampMillis"): return isInWindow(mutant)
        default: return false
        }
    }

    /// Whether every label that a rule could demand is still present.
    private func keepsLabel(_ mutant: Mutant) -> Bool {
        func labels(_ record: EvidenceRecord) -> Set<String> {
            guard case .object(let answer)? = record.evidence["decoded"]?.content,
                case .object(let payload)? = answer["tokenPayloadExternal"]?.content,
                case .object(let device)? = payload["deviceIntegrity"]?.content,
                case .array(let labels)? = device["deviceRecognitionVerdict"]?.content
            else { return [] }
            return Set(labels.compactMap { if case .text(let text) = $0.content { text } else { nil } })
        }
        return !labels(mutant.vector.record).intersection(labels(mutant.record)).isEmpty
    }

    private func isVersionEnough(_ mutant: Mutant) -> Bool {
        guard let minimum = configuration(mutant)?.android?.versions.minimum else {
            return new == nil || number != nil
        }
        return number.map { $0 >= minimum } ?? false
    }

    private func isInWindow(_ mutant: Mutant) -> Bool {
        guard let freshness = configuration(mutant)?.freshness, let number else { return false }
        let age = mutant.vector.time.timeIntervalSince1970 - Double(number) / 1000
        return age <= freshness.past && -age <= freshness.future
    }

    private var number: Int64? {
        switch new {
        case .text(let text)?, .number(let text)?: Int64(text)
        default: nil
        }
    }

    private func configuration(_ mutant: Mutant) -> PlayIntegrityConfiguration? {
        mutant.vector.policy.apps.lazy.compactMap { $0.configuration(PlayIntegrityConfiguration.self) }.first
    }
}
