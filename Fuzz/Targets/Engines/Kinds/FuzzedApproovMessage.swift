import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Synchronization

/// A request. All parts are edited before signing, and some of them after.
struct FuzzedApproovMessage: EditableEvidence {
    static let binaryFields: Set<String> = ["body"]
    private static let components = [
        "@method", "@target-uri", "approov-token", "authorization", "content-type", "content-digest",
    ]

    private let signer: MessageSigning.Signer
    private var claims = ApproovMint.claims
    private var method = "POST"
    private var targetURI = "https://api.example.com/v1/items?a=1&b=%20"
    private var names: [Edit] = []
    private var values: [Edit] = []
    private var body = Array(#"{"hello":"world"}"#.utf8)
    private var laterBody: Edit?
    private var components = Self.components
    private var parameters: [Edit] = []
    private var base: [Edit] = []
    private var input: [Edit] = []
    private var signature: [Edit] = []
    private var delay = 0

    init(_ signer: MessageSigning.Signer) {
        self.signer = signer
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 13 {
        case 0: claims.apply(edit)
        case 1: method = edit.text(method)
        case 2: targetURI = edit.text(targetURI)
        case 3: names.append(edit)
        case 4: values.append(edit)
        case 5: body = edit.bytes(body)
        case 6: laterBody = edit
        case 7: applyToComponents(edit)
        case 8: parameters.append(edit)
        case 9: base.append(edit)
        case 10: input.append(edit)
        case 11: signature.append(edit)
        default: delay = edit.number
        }
    }

    private mutating func applyToComponents(_ edit: Edit) {
        let index = edit.node % (components.count + 1)
        switch edit.operation & 0x0F {
        case 0 where index < components.count: components.remove(at: index)
        case 1: components.insert(edit.text, at: index)
        case 2: components.swapAt(0, min(index, components.count - 1))
        default: if index < components.count { components[index] = edit.text(components[index]) }
        }
    }

    func close() -> Submission? {
        let signing = Signing()
        guard !components.isEmpty, var minted = try? blueprint(signing).mint() else { return nil }
        let signed = minted
        for edit in names {
            let index = edit.node % minted.fields.count
            minted.fields[index] = .init(edit.text(minted.fields[index].name), minted.fields[index].value)
        }
        for edit in values {
            let index = edit.node % minted.fields.count
            switch edit.operation & 0x0F {
            case 0 where minted.fields.count > 1: minted.fields.remove(at: index)
            case 1: minted.fields.append(minted.fields[index])
            case 2: minted.fields.append(.init("X-\(index)", edit.text))
            case 3: minted.fields.append(.init(minted.fields[index].name, edit.text))
            default:
                minted.fields[index] = .init(minted.fields[index].name, edit.text(minted.fields[index].value))
            }
        }
        if let laterBody { minted.body = laterBody.bytes(minted.body) }
        let record = minted.record(id: "", app: "api", receivedAt: ApproovMint.now)
        return Submission(
            record, now: ApproovMint.now + Double(delay),
            objection: objection(to: minted, signed, isBaseChanged: signing.isBaseChanged))
    }

    private func blueprint(_ signing: Signing) -> ApproovMessageBlueprint {
        let token = String(decoding: ApproovMint.token(claims.encoded), as: UTF8.self)
        var blueprint = ApproovMessageBlueprint(
            method: method, targetURI: targetURI, token: token, signer: .account(EngineKeys.message),
            createdAt: ApproovMint.now)
        blueprint.fields += [
            .init("Authorization", ApproovMint.session), .init("Content-Type", "application/json"),
        ]
        blueprint.body = body
        let covered = body.isEmpty ? components.filter { $0 != "content-digest" } : components
        blueprint.signing.components = covered.map { SignatureComponent($0) }
        // `signing` records the base before the signature is requested.
        let edits = base
        blueprint.signing.changeBase = { base in signing.sign(base, instead: edits.reduce(base) { $1.bytes($0) }) }
        if signer == .installation {
            blueprint.signing.label = MessageSigning.Signer.installation.label
            blueprint.signing[parameter: "alg"] = .string(MessageSigning.Signer.installation.algorithm)
            blueprint.signing.changeSignature = { _ in
                ApproovMint.installation.signature(over: signing.base).concatenated
            }
        }
        for edit in parameters { change(&blueprint, by: edit) }
        let (input, signature) = (input, signature)
        blueprint.signing.changeInputField = { text in input.reduce(text) { $1.text($0) } }
        blueprint.signing.changeSignatureField = { text in signature.reduce(text) { $1.text($0) } }
        return blueprint
    }

    private func change(_ blueprint: inout ApproovMessageBlueprint, by edit: Edit) {
        let name = ["created", "expires", "alg", "keyid", "nonce", "tag"][edit.node % 6]
        switch edit.operation & 0x0F {
        case 0: blueprint.signing[parameter: name] = nil
        case 1: blueprint.signing[parameter: name] = .integer(Int64(ApproovMint.seconds + edit.number))
        case 2: blueprint.signing[parameter: name] = .string(edit.text)
        case 3: blueprint.signing[parameter: name] = .boolean(true)
        case 4: blueprint.signing.parameters.reverse()
        default: blueprint.signing[parameter: edit.text] = .integer(Int64(edit.number))
        }
    }

    /// Why a request must not be accepted that was signed as `signed` and arrived as `minted`; nil if no reason is
    /// known.
    private func objection(
        to minted: MintedApproovMessage, _ signed: MintedApproovMessage, isBaseChanged: Bool
    ) -> String? {
        if let objection = ApproovMint.objection(
            to: claims, session: minted[field: "Authorization"], delay: delay)
        {
            return objection
        }
        var demanded = ["@method", "@target-uri", "approov-token"]
        if !minted.body.isEmpty { demanded.append("content-digest") }
        guard demanded.allSatisfy({ components.contains($0) }) else { return "the signature covers too little" }
        // The removal of an unsigned body is allowed: everything that remains is signed.
        let isUnsignedBodyGone = minted.body.isEmpty && !components.contains("content-digest")
        guard minted.body == signed.body || isUnsignedBodyGone else { return "the body was changed" }
        if parameters.isEmpty {
            guard (-15...14).contains(delay) else { return "the signature is too old, or from the future" }
        }
        if isBaseChanged {
            // The edited base may equal a later change of the request.
            return values.isEmpty && names.isEmpty && input.isEmpty ? "something else was signed" : nil
        }
        return Self.objection(to: minted.fields, insteadOf: signed.fields, covered: components)
    }

    /// Covered fields must keep their number and their values. Uncovered fields may change, and so may the number of
    /// spaces between the components of Signature-Input.
    private static func objection(
        to changed: [HTTPMessageParts.Field], insteadOf closed: [HTTPMessageParts.Field], covered: [String]
    ) -> String? {
        func values(_ name: String, _ fields: [HTTPMessageParts.Field]) -> [[UInt8]] {
            fields.filter { HTTPFieldText.isName($0.name, equalTo: name) }
                .map { Array(HTTPFieldText.trimmed(Array($0.value.utf8)[...])) }
        }
        for name in ["Approov-Token", "Authorization", "Content-Digest", "Content-Type"]
        where covered.contains(name.lowercased()) && values(name, changed) != values(name, closed) {
            return "\(name) was changed"
        }
        return nil
    }

    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        for name in ["method", "targetURI", "body"] {
            guard let before = closed[name]?.content, let after = changed[name]?.content,
                RecordLeaves.isSame(before, after)
            else { return "\(name) was changed" }
        }
        return objection(to: fields(of: changed), insteadOf: fields(of: closed), covered: Self.components)
    }

    private static func fields(of object: RecordObject) -> [HTTPMessageParts.Field] {
        guard case .array(let pairs)? = object["headers"]?.content else { return [] }
        return pairs.compactMap { pair in
            guard case .array(let texts) = pair.content, texts.count == 2, case .text(let name) = texts[0].content,
                case .text(let value) = texts[1].content
            else { return nil }
            return .init(name, value)
        }
    }
}

/// The signature base, as the closures of a blueprint record it.
private final class Signing: Sendable {
    private let state = Mutex<(base: [UInt8], isChanged: Bool)>(([], false))

    var base: [UInt8] { state.withLock { $0.base } }
    var isBaseChanged: Bool { state.withLock { $0.isChanged } }

    func sign(_ original: [UInt8], instead changed: [UInt8]) -> [UInt8] {
        state.withLock { $0 = (changed, changed != original) }
        return changed
    }
}

extension FuzzTarget {
    /// `verify` of signed requests, of installations and of the account.
    static let approovMessage = engine(
        "verify-approov-message",
        dictionary: approovWords + [
            "@method", "@authority", "@path", "@query", "@query-param", "@target-uri", "@request-target", "@scheme",
            "@status", ";sf", ";bs", ";key=\"a\"", ";req", ";tr", ";name=\"a\"", "content-digest", "sha-256=:",
            "created",
            "expires", "install", "account", "approov-token", "Signature-Input", "Signature", ", ", "install=:AA==:",
        ]
    ) { () -> EngineFuzz<FuzzedApproovMessage> in
        EngineFuzz(
            .init(
                FuzzedApproovMessage(.installation),
                ApproovMint.verifier(signing: MessageSigning(signer: .installation)),
                isSingleUse: true),
            .init(
                FuzzedApproovMessage(.account), ApproovMint.verifier(signing: MessageSigning(signer: .account)),
                isSingleUse: true))
    }
}
