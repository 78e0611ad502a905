import AppAttest
import Assay
import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
import AssayTesting
import Foundation

/// A request with an assertion as its signature. Every part is edited before it is signed, and some of them after.
struct FuzzedAppAttestRequest: EditableEvidence {
    static let binaryFields: Set<String> = ["body"]
    private static let components = ["@method", "@target-uri", "content-digest"]
    private static let words = ["created", "expires", "nonce", "keyid", "tag", "alg"]

    private var method = "POST"
    private var targetURI = "https://api.example.com/v1/items?a=1&b=%20"
    private var body = Array(#"{"hello":"world"}"#.utf8)
    private var laterBody: Edit?
    private var components = Self.components
    private var parameters: [Edit] = []
    private var base: [Edit] = []
    private var input: [Edit] = []
    private var signature: [Edit] = []
    private var values: [Edit] = []
    private var delay = 0

    mutating func apply(_ edit: Edit) {
        switch edit.part % 11 {
        case 0: method = edit.text(method)
        case 1: targetURI = edit.text(targetURI)
        case 2: body = edit.bytes(body)
        case 3: laterBody = edit
        case 4:
            let index = edit.node % components.count
            components[index] = edit.text(components[index])
        case 5: parameters.append(edit)
        case 6: base.append(edit)
        case 7: input.append(edit)
        case 8: signature.append(edit)
        case 9: values.append(edit)
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        guard var minted = try? blueprint.mint() else { return nil }
        let signed = minted
        for edit in values {
            let index = edit.node % minted.fields.count
            let field = minted.fields[index]
            minted.fields[index] = .init(field.name, edit.text(field.value))
        }
        if let laterBody { minted.body = laterBody.bytes(minted.body) }
        let record = minted.record(id: "", app: "shop", receivedAt: AppleMint.now)
        return Submission(
            record, now: AppleMint.now + Double(delay), objection: objection(to: minted, signed))
    }

    private var blueprint: SignedRequestBlueprint {
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: targetURI,
            evidence: .assertion(AppleMint.device, appID: AppleMint.appID, counter: FuzzedAssertion.storedCounter + 1),
            createdAt: AppleMint.now)
        blueprint.body = body
        let covered = body.isEmpty ? components.filter { $0 != "content-digest" } : components
        blueprint.signing.components = covered.map { SignatureComponent($0) }
        for edit in parameters {
            let name = Self.words[edit.node % Self.words.count]
            switch edit.operation & 0x0F {
            case 0: blueprint.signing[parameter: name] = nil
            case 1: blueprint.signing[parameter: name] = .integer(1_790_000_000 + Int64(edit.number))
            case 2: blueprint.signing[parameter: name] = .string(edit.text)
            case 3: blueprint.signing.parameters.reverse()
            default: blueprint.signing[parameter: edit.text] = .boolean(true)
            }
        }
        let (base, input, signature) = (base, input, signature)
        blueprint.signing.changeBase = { bytes in base.reduce(bytes) { $1.bytes($0) } }
        blueprint.signing.changeSignature = { bytes in signature.reduce(bytes) { $1.bytes($0) } }
        blueprint.signing.changeInputField = { text in input.reduce(text) { $1.text($0) } }
        return blueprint
    }

    /// What is wrong with a request that was signed as `signed` and came as `minted`.
    private func objection(to minted: MintedRequest, _ signed: MintedRequest) -> String? {
        var demanded = ["@method", "@target-uri"]
        if !minted.body.isEmpty { demanded.append("content-digest") }
        guard demanded.allSatisfy({ components.contains($0) }) else { return "the signature covers too little" }
        // A body of which nothing was signed may be taken away: what comes then is all signed.
        let isUnsignedBodyGone = minted.body.isEmpty && !components.contains("content-digest")
        guard minted.body == signed.body || isUnsignedBodyGone else { return "the body was changed" }
        // An edit of the base may be what a later edit of a field makes of the request.
        guard base.isEmpty, input.isEmpty, values.isEmpty else { return nil }
        if parameters.isEmpty, !(-15...60).contains(delay) { return "the signature is too old, or from the future" }
        return nil
    }

    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        for name in ["method", "targetURI", "body"] {
            guard let before = closed[name]?.content, let after = changed[name]?.content,
                RecordLeaves.isSame(before, after)
            else { return "\(name) was changed" }
        }
        return nil
    }
}

extension FuzzTarget {
    /// `verify` of requests that carry an assertion of an enrolled key.
    static let appAttestRequest = engine(
        "verify-app-attest-request",
        dictionary: [
            "@method", "@target-uri", "@path", "@query-param", ";sf", ";bs", ";req", "content-digest", "sha-256=:",
            "created", "expires", "nonce", "keyid", "tag", "assay", "app-attest", "Signature-Input", "Signature", ", ",
        ]
    ) { () -> EngineFuzz<FuzzedAppAttestRequest> in
        let verifier = AppleMint.verifier()
        return EngineFuzz(
            .init(
                FuzzedAppAttestRequest(), verifier, effects: [AppleMint.enrolment(verifier)], isSingleUse: true))
    }
}
