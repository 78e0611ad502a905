import Approov
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A token. Its claims and header are edited before it is signed or encrypted.
struct FuzzedApproovToken: EditableEvidence {
    static let binaryFields: Set<String> = []

    /// The form of a token.
    enum Form: Sendable {
        case hs256
        case es256
        case encrypted
        case loggable
    }

    private let form: Form
    private var claims = ApproovMint.claims
    private var claimBytes: [Edit] = []
    private var header: JSONItem
    private var token: [Edit] = []
    private var session = ApproovMint.session
    private var address = "203.0.113.7"
    private var delay = 0

    init(_ form: Form) {
        self.form = form
        switch form {
        case .hs256, .loggable: header = ["alg": "HS256", "typ": "JWT"]
        case .es256: header = ["alg": "ES256", "kid": "es"]
        case .encrypted: header = ["alg": "A256GCMKW", "enc": "A256GCM"]
        }
    }

    mutating func apply(_ edit: Edit) {
        switch edit.part % 8 {
        case 0, 1: claims.apply(edit)
        case 2: claimBytes.append(edit)
        case 3: header.apply(edit)
        case 4: token.append(edit)
        case 5: session = edit.text(session)
        case 6: address = edit.text(address)
        default: delay = edit.number
        }
    }

    func close() -> Submission? {
        let encoded = claims.encoded
        let content = claimBytes.reduce(encoded) { $1.bytes($0) }
        guard let genuine = closed(content) else { return nil }
        let text = token.reduce(genuine) { $1.text($0) }
        var evidence: [(String, RecordValue.Content)] = [
            (form == .loggable ? "loggable" : "token", .text(text)), ("address", .text(address)),
        ]
        if form != .loggable { evidence.append(("binding", .array([RecordValue(.text(session), offset: 0)]))) }
        let record = EvidenceRecord(
            id: nil, kind: EvidenceKind.approovToken, app: "api", receivedAt: nil, evidence: RecordObject(evidence),
            expect: nil)
        let isSame = text.isByteEqual(to: genuine)
        return Submission(
            record, now: ApproovMint.now + Double(delay),
            objection: isSame
                ? objection(isKnown: content == encoded)
                : Self.objection(to: text, insteadOf: genuine, isLoggable: form == .loggable),
            mayBeUnreadable: true)
    }

    private func closed(_ content: [UInt8]) -> String? {
        switch form {
        case .hs256: String(decoding: ApproovMint.token(content, header: header.encoded), as: UTF8.self)
        case .es256:
            String(
                decoding: TokenMint.jws(header.encoded, content) {
                    ApproovMint.signer.signature(over: $0).concatenated
                }, as: UTF8.self)
        case .encrypted:
            TokenMint.jwe(
                header, content,
                .gcmKeyWrap(Digest.sha256(EngineKeys.secret), initializationVector: [UInt8](repeating: 9, count: 12)))
        case .loggable:
            (try? ApproovLoggableForm(ApproovClaimsBlueprint(json: claims), secret: EngineKeys.secret))?.text
        }
    }

    private func objection(isKnown: Bool) -> String? {
        let name = form == .es256 ? "ES256" : form == .encrypted ? "A256GCMKW" : "HS256"
        // A loggable token has no header.
        if form != .loggable, header.isComposed, header["alg"] != .text(name) { return "the algorithm is another" }
        guard isKnown else { return nil }
        return ApproovMint.objection(to: claims, session: form == .loggable ? nil : session, delay: delay)
    }

    /// The signature of a loggable token does not cover white space, escapes and the order of claims.
    private static func objection(to text: String, insteadOf genuine: String, isLoggable: Bool) -> String? {
        guard isLoggable else { return "the token was changed after it had been closed" }
        guard let before = claims(of: genuine), let after = claims(of: text) else { return "it is no loggable token" }
        return before == after ? nil : "a claim was changed"
    }

    /// The members of an object, sorted by name.
    private static func claims(of text: String) -> [[UInt8]]? {
        guard let object = try? JSONReader.readObject(Array(text.utf8), limit: 1 << 16) else { return nil }
        return object.members.map { member in
            var bytes = Array(member.name.utf8)
            RecordJSON.append(member.value.content, to: &bytes)
            return bytes
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// A changed address changes the verdict: the address is a signal, which is annotated.
    static func isSameVerdict(_ changed: RecordObject, insteadOf closed: RecordObject) -> Bool {
        guard let before = closed["address"]?.content, let after = changed["address"]?.content else { return false }
        return RecordLeaves.isSame(before, after)
    }

    /// The address is a signal, and tokens are not bound to white space around a session.
    static func objection(to changed: RecordObject, insteadOf closed: RecordObject) -> String? {
        if case .text(let before)? = closed["loggable"]?.content, case .text(let after)? = changed["loggable"]?.content
        {
            return objection(to: after, insteadOf: before, isLoggable: true)
        }
        guard let before = closed["token"]?.content, let after = changed["token"]?.content,
            RecordLeaves.isSame(before, after)
        else { return "the token was changed" }
        guard case .array(let values)? = changed["binding"]?.content, case .text(let text)? = values.first?.content,
            HTTPFieldText.trimmed(Array(text.utf8)[...]).elementsEqual(ApproovMint.session.utf8)
        else { return "the session is another" }
        return nil
    }
}

extension FuzzTarget {
    static let approovWords = [
        "exp", "iat", "nbf", "did", "pay", "aud", "iss", "anno", "frida", "ipk", "mskid", "arc", "sip", "1790000000",
        "alg", "none", "ES256", "HS256", "RS256", "kid", "crit", "zip", "iss:\"x\"", "1e400", "-0", "1790000100.5",
    ]

    /// `verify` of Approov tokens.
    static let approovToken = engine("verify-approov-token", dictionary: approovWords) {
        () -> EngineFuzz<FuzzedApproovToken> in
        let signed = ApproovMint.verifier()
        return EngineFuzz(
            .init(FuzzedApproovToken(.hs256), signed, isSingleUse: false),
            .init(FuzzedApproovToken(.es256), signed, isSingleUse: false),
            .init(FuzzedApproovToken(.encrypted), ApproovMint.verifier(format: .jwe), isSingleUse: false),
            .init(FuzzedApproovToken(.loggable), signed, isSingleUse: false))
    }
}
