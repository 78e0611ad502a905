import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

/// A classic token. Its payload and headers are edited before it is signed and encrypted.
struct FuzzedClassicToken: EditableEvidence {
    static let binaryFields: Set<String> = []
    private static let genuineHeader: JSONItem = ["alg": "ES256"]
    private static let genuineEncryption: JSONItem = ["alg": "A256KW", "enc": "A256GCM"]

    private var payload = GoogleMint.classicPayload
    private var payloadBytes: [Edit] = []
    private var header = genuineHeader
    private var encryption = genuineEncryption
    private var signed: [Edit] = []
    private var nonce = GoogleMint.nonceText
    private var packageName = GoogleMint.packageName
    private var delay = 0

    mutating func apply(_ edit: Edit) {
        switch edit.part % 10 {
        case 0, 1, 2: payload.apply(edit)
        case 3: payloadBytes.append(edit)
        case 4: header.apply(edit)
        case 5: encryption.apply(edit)
        case 6: signed.append(edit)
        case 7: nonce = edit.text(nonce)
        case 8: packageName = edit.text(packageName)
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        let encoded = payload.encoded
        let content = payloadBytes.reduce(encoded) { $1.bytes($0) }
        let jws = TokenMint.jws(header.encoded, content) { GoogleMint.signer.signature(over: $0).concatenated }
        let plaintext = signed.reduce(jws) { $1.bytes($0) }
        guard let token = TokenMint.jwe(encryption, plaintext, .keyWrap(EngineKeys.decryption)) else { return nil }
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.playIntegrityClassic, app: "shop", receivedAt: nil,
            evidence: RecordObject([
                ("packageName", .text(packageName)), ("token", .text(token)), ("nonce", .text(nonce)),
            ]), expect: nil)
        return Submission(
            record, now: GoogleMint.now + Double(delay),
            objection: plaintext == jws ? objection(isPayloadKnown: content == encoded) : "the signed part was changed",
            mayBeUnreadable: !nonce.isByteEqual(to: GoogleMint.nonceText))
    }

    private func objection(isPayloadKnown: Bool) -> String? {
        guard packageName.isByteEqual(to: GoogleMint.packageName) else { return "the request is of another app" }
        guard AnyBase64.decode(nonce) == GoogleMint.nonce else { return "the nonce of the request is another" }
        if header.isComposed, header["alg"] != "ES256" { return "the algorithm of the signature is another" }
        if encryption.isComposed, encryption != Self.genuineEncryption,
            encryption["alg"] != "A256KW" || encryption["enc"] != "A256GCM"
        {
            return "the algorithms of the encryption are others"
        }
        guard isPayloadKnown else { return nil }
        return GoogleMint.objection(to: payload, delay: delay, binding: .nonce, GoogleMint.nonceText)
    }

    /// A nonce may be base64 in either alphabet, with or without padding.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        for name in ["packageName", "token"] {
            guard let before = closed[name]?.content, let after = changed[name]?.content,
                RecordLeaves.isSame(before, after)
            else { return "\(name) was changed" }
        }
        guard case .text(let nonce)? = changed["nonce"]?.content, AnyBase64.decode(nonce) == GoogleMint.nonce else {
            return "the nonce was changed"
        }
        return nil
    }
}

/// Google's answer on a standard token, already decoded and not signed.
struct FuzzedStandardAnswer: EditableEvidence {
    static let binaryFields: Set<String> = []

    private var payload: JSONItem
    private var answer: [Edit] = []
    private var requestHash = GoogleMint.requestHash
    private var packageName = GoogleMint.packageName
    private var delay = 0

    init(_ payload: JSONItem) {
        self.payload = payload
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 8 {
        case 0, 1, 2, 3: payload.apply(edit)
        case 4: answer.append(edit)
        case 5: requestHash = edit.text(requestHash)
        case 6: packageName = edit.text(packageName)
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        var whole: JSONItem = ["tokenPayloadExternal": payload]
        for edit in answer { whole.apply(edit) }
        // Text that is not JSON never becomes a record.
        guard let object = try? JSONReader.readObject(whole.encoded, limit: 1 << 16) else { return nil }
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.playIntegrityStandard, app: "shop", receivedAt: nil,
            evidence: RecordObject([
                ("packageName", .text(packageName)), ("requestHash", .text(requestHash)),
                ("decoded", .object(object)),
            ]), expect: nil)
        return Submission(
            record, now: GoogleMint.now + Double(delay), objection: objection(to: record.evidence),
            mayBeUnreadable: true)
    }

    private func objection(to evidence: RecordObject) -> String? {
        guard packageName.isByteEqual(to: GoogleMint.packageName) else { return "the request is of another app" }
        if let objection = Self.objection(toBindingOf: evidence) { return objection }
        guard answer.isEmpty else { return nil }
        return GoogleMint.objection(to: payload, delay: delay, binding: .requestHash, requestHash)
    }

    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool { false }

    /// The verifier trusts an answer that the caller supplies. The package name and the request hash must still match
    /// the answer.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        guard isSame(changed["packageName"], closed["packageName"]) else { return "packageName was changed" }
        return objection(toBindingOf: changed)
    }

    /// Why an answer does not belong to the request in the record; nil if it does.
    private static func objection(toBindingOf evidence: RecordObject) -> String? {
        for (asked, answered) in [("packageName", "requestPackageName"), ("requestHash", "requestHash")] {
            let answer = member(["decoded", "tokenPayloadExternal", "requestDetails", answered], of: evidence)
            guard isSame(evidence[asked], answer) else { return "\(asked) is another than in the answer" }
        }
        return nil
    }

    private static func isSame(_ left: RecordValue?, _ right: RecordValue?) -> Bool {
        guard let left, let right else { return false }
        return RecordLeaves.isSame(left.content, right.content)
    }

    private static func member(_ path: [String], of object: RecordObject) -> RecordValue? {
        path.reduce(RecordValue(.object(object), offset: 0)) { value, name in
            guard case .object(let object)? = value?.content else { return nil }
            return object[name]
        }
    }
}

extension FuzzTarget {
    private static let words = [
        "nonce", "requestHash", "timestampMillis", "1790000000000", "PLAY_RECOGNIZED", "MEETS_DEVICE_INTEGRITY",
        "MEETS_STRONG_INTEGRITY", "UNEVALUATED", "NO_ISSUES", "UNKNOWN_CAPTURING", "deviceRecall", "testingDetails",
        "isTestingResponse:true", "alg", "none", "HS256", "zip", "crit", "b64", "kid", "LEVEL_4",
    ]

    /// `verify` of classic tokens.
    static let classicToken = engine("verify-play-integrity-classic", dictionary: words) {
        () -> EngineFuzz<FuzzedClassicToken> in
        let challenge = IssuedChallenge(
            value: GoogleMint.nonce, app: "shop", purpose: ChallengePurpose(EvidenceKind.playIntegrityClassic),
            issuedAt: GoogleMint.now - 60, expiresAt: GoogleMint.now + 3600)
        return EngineFuzz(
            .init(FuzzedClassicToken(), GoogleMint.verifier(), challenges: [challenge], isSingleUse: true))
    }

    /// `verify` of Google's answers on standard tokens.
    static let standardAnswer = engine("verify-play-integrity-standard", dictionary: words) {
        () -> EngineFuzz<FuzzedStandardAnswer> in
        EngineFuzz(
            .init(FuzzedStandardAnswer(GoogleMint.standardPayload), GoogleMint.verifier(), isSingleUse: true),
            .init(
                FuzzedStandardAnswer(GoogleMint.computerPayload), GoogleMint.verifier(isOnComputer: true),
                isSingleUse: true))
    }
}
