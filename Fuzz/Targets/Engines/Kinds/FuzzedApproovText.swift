import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A text. Its parts are edited before it is signed with the account's key, and after.
struct FuzzedApproovText: EditableEvidence {
    static let binaryFields: Set<String> = ["signature"]

    private var claims = ApproovMint.claims
    private var before = "order 7, "
    private var token: [Edit] = []
    private var session = ApproovMint.session
    private var text: Edit?
    private var signature: Edit?
    private var delay = 0

    mutating func apply(_ edit: Edit) {
        switch edit.part % 7 {
        case 0, 1: claims.apply(edit)
        case 2: before = edit.text(before)
        case 3: token.append(edit)
        case 4: session = edit.text(session)
        case 5: if edit.operation & 1 == 0 { text = edit } else { signature = edit }
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        let genuine = String(decoding: ApproovMint.token(claims.encoded), as: UTF8.self)
        var blueprint = ApproovTextBlueprint(token: genuine, text: before + genuine, key: EngineKeys.message)
        let closed = blueprint
        blueprint.token = token.reduce(genuine) { $1.text($0) }
        if let text { blueprint.text = text.text(blueprint.text) }
        if let signature { blueprint.signature = signature.text(blueprint.signature) }
        let record = blueprint.record(id: "", binding: [session], app: "api", receivedAt: ApproovMint.now)
        return Submission(
            record, now: ApproovMint.now + Double(delay), objection: objection(to: blueprint, insteadOf: closed),
            mayBeUnreadable: true)
    }

    private func objection(to blueprint: ApproovTextBlueprint, insteadOf closed: ApproovTextBlueprint) -> String? {
        guard blueprint.token.isByteEqual(to: closed.token) else { return "the token was changed" }
        guard blueprint.text.isByteEqual(to: closed.text) else { return "the text was changed" }
        guard blueprint.signature.isByteEqual(to: closed.signature) else { return "the signature was changed" }
        return ApproovMint.objection(to: claims, session: session, delay: delay)
    }

    /// Tokens are not bound to white space around a session.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        for name in ["token", "text", "signature"] {
            guard let before = closed[name]?.content, let after = changed[name]?.content,
                RecordLeaves.isSame(before, after)
            else { return "\(name) was changed" }
        }
        guard case .array(let values)? = changed["binding"]?.content, case .text(let text)? = values.first?.content,
            HTTPFieldText.trimmed(Array(text.utf8)[...]).elementsEqual(ApproovMint.session.utf8)
        else { return "the session is another" }
        return nil
    }
}

extension FuzzTarget {
    /// `verify` of texts that apps sign with the account's key.
    static let approovText = engine("verify-approov-text", dictionary: approovWords + ["order"]) {
        () -> EngineFuzz<FuzzedApproovText> in
        EngineFuzz(
            .init(FuzzedApproovText(), ApproovMint.verifier(texts: TextSigning()), isSingleUse: true),
            .init(FuzzedApproovText(), ApproovMint.verifier(texts: TextSigning(replay: .caller)), isSingleUse: false))
    }
}
