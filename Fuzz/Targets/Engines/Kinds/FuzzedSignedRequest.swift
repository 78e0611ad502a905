import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A request whose signature is an assertion, or made by an attested key of Android. All parts are edited before signing, and some of
/// them after.
struct FuzzedSignedRequest: EditableEvidence {
    static let binaryFields: Set<String> = ["body"]
    private static let components = ["@method", "@target-uri", "content-digest"]
    private static let words = ["created", "expires", "nonce", "keyid", "tag", "alg"]

    private let evidence: SignedRequestBlueprint.Evidence
    private let now: Date
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

    init(_ evidence: SignedRequestBlueprint.Evidence, at now: Date) {
        self.evidence = evidence
        self.now = now
    }

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
        let record = minted.record(id: "", app: "shop", receivedAt: now)
        return Submission(record, now: now + Double(delay), objection: objection(to: minted, signed))
    }

    private var blueprint: SignedRequestBlueprint {
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: targetURI, evidence: evidence, createdAt: now)
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

    /// Why a request must not be accepted that was signed as `signed` and arrived as `minted`; nil if no reason is
    /// known.
    private func objection(to minted: MintedRequest, _ signed: MintedRequest) -> String? {
        var demanded = ["@method", "@target-uri"]
        if !minted.body.isEmpty { demanded.append("content-digest") }
        guard demanded.allSatisfy({ components.contains($0) }) else { return "the signature covers too little" }
        // The removal of an unsigned body is allowed: everything that remains is signed.
        let isUnsignedBodyGone = minted.body.isEmpty && !components.contains("content-digest")
        guard minted.body == signed.body || isUnsignedBodyGone else { return "the body was changed" }
        // An edit of the base may equal a later edit of a field in the request.
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
    /// `verify` of requests with an assertion of an enrolled key.
    static let appAttestRequest = engine(
        "verify-app-attest-request", dictionary: dictionary + ["app-attest"]
    ) { () -> EngineFuzz<FuzzedSignedRequest> in
        let verifier = AppleMint.verifier()
        return EngineFuzz(
            .init(.assertion, verifier, effects: [AppleMint.enrolment(verifier)], isSingleUse: true))
    }

    /// `verify` of requests that an enrolled key of Android has signed: one on P-256, and one of RSA.
    static let androidKeyRequest = engine(
        "verify-android-key-request",
        dictionary: dictionary + ["android-key", "ecdsa-p256-sha256", "rsa-v1_5-sha256"]
    ) { () -> EngineFuzz<FuzzedSignedRequest> in
        let effects = [AndroidMint.device, AndroidMint.rsaDevice].map(AndroidMint.enrolment)
        return EngineFuzz(
            .init(.androidKey(AndroidMint.device), AndroidMint.verifier, effects: effects, isSingleUse: true),
            .init(.androidKey(AndroidMint.rsaDevice), AndroidMint.verifier, effects: effects, isSingleUse: true))
    }

    private static let dictionary = [
        "@method", "@target-uri", "@path", "@query-param", ";sf", ";bs", ";req", "content-digest", "sha-256=:",
        "created", "expires", "nonce", "keyid", "tag", "alg", "assay", "Signature-Input", "Signature", ", ",
    ]
}

extension FuzzedSignedRequest {
    /// A request with the next assertion of Apple's device.
    static var assertion: Self {
        Self(
            .assertion(AppleMint.device, appID: AppleMint.appID, counter: FuzzedAssertion.storedCounter + 1),
            at: AppleMint.now)
    }

    /// A request that a key signs.
    static func androidKey(_ key: AndroidAttestedKey) -> Self { Self(.androidKey(key), at: AndroidMint.now) }
}
