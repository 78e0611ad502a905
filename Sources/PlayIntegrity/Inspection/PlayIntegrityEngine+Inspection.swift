package import AssayCore
package import AssayInspection
import AssayPrimitives

extension PlayIntegrityEngine {
    /// The formats of the platform.
    package static let formats: [any BlobFormat.Type] = [
        ClassicTokenFormat.self,
        IntegrityAnswerFormat.self,
        IntegrityPayloadFormat.self,
        PlayConsoleKeysFormat.self,
    ]

    /// The format of a field of a record.
    package static func format(of field: String, in kind: EvidenceKind) -> (any BlobFormat.Type)? {
        switch (kind, field) {
        case (EvidenceKind.playIntegrityClassic, "token"): ClassicTokenFormat.self
        case (EvidenceKind.playIntegrityStandard, "decoded"): IntegrityAnswerFormat.self
        default: nil
        }
    }

    /// What a field of a record is.
    package static func meaning(of field: String, in kind: EvidenceKind) -> String? {
        switch (kind, field) {
        case (_, "packageName"): "the app that is to have asked for the token"
        case (EvidenceKind.playIntegrityClassic, "token"): "the token, encrypted for the keys of the Play Console"
        case (EvidenceKind.playIntegrityClassic, "nonce"): "the nonce of the request, as the server gave it out"
        case (EvidenceKind.playIntegrityStandard, "token"): "the token, which only Google can open"
        case (EvidenceKind.playIntegrityStandard, "requestHash"): "the hash of the request, as the server computes it"
        case (EvidenceKind.playIntegrityStandard, "decoded"): "Google's answer to the decode call"
        default: nil
        }
    }

    /// The kind of evidence that a blob is the main part of.
    package static func kind(of format: any BlobFormat.Type) -> EvidenceKind? {
        if format == ClassicTokenFormat.self { return EvidenceKind.playIntegrityClassic }
        if format == IntegrityAnswerFormat.self || format == IntegrityPayloadFormat.self {
            return EvidenceKind.playIntegrityStandard
        }
        return nil
    }

    /// A record of Google's answer on a standard token, or of its payload.
    ///
    /// Package name and request hash are those of the answer itself, so that the record says whether app and device are
    /// what the policy demands, and not whether the answer is on a request of the server's. A classic token tells nothing
    /// without its keys, and its payload has a nonce in place of the hash.
    package static func record(of blob: [UInt8], format: any BlobFormat.Type) -> EvidenceRecord? {
        guard format == IntegrityAnswerFormat.self || format == IntegrityPayloadFormat.self,
            let object = try? JSONReader.readObject(blob, limit: InputLimits.integrityAnswer)
        else { return nil }
        func member(_ name: String, _ content: RecordValue.Content) -> RecordObject.Member {
            RecordObject.Member(name: name, offset: 0, value: RecordValue(content, offset: 0))
        }
        let isAnswer = format == IntegrityAnswerFormat.self
        let answer = isAnswer ? object : RecordObject([member("tokenPayloadExternal", .object(object))], offset: 0)
        guard case .object(let payload)? = answer["tokenPayloadExternal"]?.content,
            case .object(let request)? = payload["requestDetails"]?.content,
            case .text(let package)? = request["requestPackageName"]?.content,
            case .text(let hash)? = request["requestHash"]?.content
        else { return nil }
        let evidence = [
            member("packageName", .text(package)), member("requestHash", .text(hash)),
            member("decoded", .object(answer)),
        ]
        return EvidenceRecord(
            id: nil, kind: EvidenceKind.playIntegrityStandard, app: nil, receivedAt: nil,
            evidence: RecordObject(evidence, offset: 0), expect: nil)
    }
}
