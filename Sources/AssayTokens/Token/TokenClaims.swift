package import AssayCore

/// The claims of a token of type `assay+jwt` (RFC 7519). All times are in seconds since 1970; Assay writes whole ones.
package struct TokenClaims: Sendable, Equatable {
    /// The evidence that the token was issued for.
    package struct Attestation: Sendable, Equatable {
        /// Its kind, such as `app-attest.assertion`.
        package let kind: String
        /// When it was judged.
        package let at: Double
        /// The checks that failed without rejecting it.
        package let annotated: [String]
        /// `development` for evidence of App Attest's development environment; nil otherwise.
        package let environment: String?

        package init(kind: String, at: Double, annotated: [String], environment: String? = nil) {
            (self.kind, self.at, self.annotated, self.environment) = (kind, at, annotated, environment)
        }
    }

    /// `typ` of the header (RFC 8725 section 3.11).
    package static let type = "assay+jwt"
    /// How far the issuer's clock may be ahead, in seconds. The end of a token has no such allowance.
    package static let skew: Double = 30
    /// The maximum length of a token in characters. Those that Assay issues have less than half of it.
    package static let maximumLength = 4096

    /// `iss`.
    package var issuer: String
    /// `aud`: one text, never a list.
    package var audience: String
    /// `sub`: the pseudonym of the key or account; nil for evidence that names neither.
    package var subject: String?
    /// `iat`.
    package var issuedAt: Double
    /// `exp`: the first moment at which the token is not valid.
    package var expiresAt: Double
    /// `nbf`: the first moment at which it is; nil for none. Assay writes none.
    package var notBefore: Double?
    /// `jti`: 128 random bits in base64url.
    package var tokenID: String
    /// `app`: the policy's app.
    package var app: String
    /// `env`: what stands behind the token in place of a genuine device with an app of the store; nil for those. See
    /// ``TokenMark``.
    package var environment: String?
    /// `att`: the evidence.
    package var attestation: Attestation
    /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 section 6.1).
    package var keyThumbprint: String?
    /// `use`: true for a token that is accepted once.
    package var isLimitedUse: Bool
    /// `ref`: the subjects that a block must reach, for the issuer alone; see ``TokenSecret``.
    package var reference: String?
    /// `claims`, which the app put in: the text of a JSON object. Nil for none, and for a claim of another issuer with other values than
    /// texts, numbers and flags.
    package var appClaims: String?
    /// What the token says of the evidence behind it; nil for genuine evidence. A name that Assay does not know counts as a test.
    var mark: TokenMark? {
        if attestation.kind.isByteEqual(to: DebugToken.attestationKind) { return .test }
        return environment.map { TokenMark(rawValue: $0) ?? .test }
    }

    /// The claims as JSON, without white space.
    package var json: [UInt8] { json(adding: []) }

    /// The claims as JSON, without ``appClaims``, and with further ones.
    func json(adding more: [(String, RecordValue.Content)]) -> [UInt8] {
        var members: [(String, RecordValue.Content)] = [
            ("iss", .text(issuer)), ("aud", .text(audience)),
        ]
        if let subject { members.append(("sub", .text(subject))) }
        members += [
            ("iat", .number(Self.number(issuedAt))), ("exp", .number(Self.number(expiresAt))), ("jti", .text(tokenID)),
            ("app", .text(app)),
        ]
        if let notBefore { members.append(("nbf", .number(Self.number(notBefore)))) }
        if let environment { members.append(("env", .text(environment))) }
        let annotated = attestation.annotated.map { RecordValue(.text($0), offset: 0) }
        var evidence: [(String, RecordValue.Content)] = [
            ("kind", .text(attestation.kind)), ("at", .number(Self.number(attestation.at))),
            ("annotated", .array(annotated)),
        ]
        if let environment = attestation.environment { evidence.append(("environment", .text(environment))) }
        members.append(("att", .object(RecordObject(evidence))))
        if let keyThumbprint {
            members.append(("cnf", .object(RecordObject([("jkt", .text(keyThumbprint))]))))
        }
        if isLimitedUse { members.append(("use", .text(Self.limitedUse))) }
        if let reference { members.append(("ref", .text(reference))) }
        members += more
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return bytes
    }

    /// The value of `use` of a token for one use.
    static let limitedUse = "once"

    /// A time as a JSON number, without a fraction if it has none.
    private static func number(_ time: Double) -> String { Int64(exactly: time).map { "\($0)" } ?? "\(time)" }
}

extension TokenClaims {
    /// Reads the claims of a payload. Unknown claims are ignored (RFC 7519 section 4); known ones have one form.
    /// - Throws: ``DecodeError`` with the name of the claim.
    package init(_ payload: [UInt8]) throws(DecodeError) {
        let claims = ClaimReader(try JSONReader.readObject(payload, limit: TokenClaims.maximumLength))
        issuer = try claims.text("iss")
        audience = try claims.text("aud")
        subject = try claims.optionalText("sub")
        issuedAt = try claims.time("iat")
        expiresAt = try claims.time("exp")
        notBefore = try claims.optionalTime("nbf")
        tokenID = try claims.text("jti")
        app = try claims.text("app")
        environment = try claims.optionalText("env")
        let att = try claims.object("att")
        attestation = Attestation(
            kind: try att.text("kind"), at: try att.time("at"), annotated: try att.texts("annotated"),
            environment: try att.optionalText("environment"))
        keyThumbprint = try claims.optionalObject("cnf").map { (confirmation) throws(DecodeError) in
            // Reject unknown confirmation methods: ignoring one would turn a bound token into a bearer token.
            try confirmation.requireOnly(["jkt"])
            let text = try confirmation.text("jkt")
            guard JWKThumbprint.isThumbprint(text) else {
                throw confirmation.error(.unexpectedValue, "jkt", "expected base64url of 32 bytes")
            }
            return text
        }
        let use = try claims.optionalText("use")
        guard use.map({ $0.isByteEqual(to: TokenClaims.limitedUse) }) ?? true else {
            throw claims.error(.unexpectedValue, "use", "expected \(TokenClaims.limitedUse)")
        }
        isLimitedUse = use != nil
        reference = try claims.optionalText("ref")
        appClaims = claims.scalars(AppClaims.claim)
    }
}

/// Reads the members of a JSON object of claims. Errors name the claim.
struct ClaimReader {
    private let object: RecordObject
    private let path: String

    init(_ object: RecordObject, path: String = "") {
        self.object = object
        self.path = path
    }

    func error(_ reason: ErrorCode, _ name: String, _ message: String) -> DecodeError {
        DecodeError(reason, at: object[name]?.offset ?? object.offset, field: path + name, message)
    }

    /// The text of a JSON object of texts, numbers and flags; nil for another value.
    func scalars(_ name: String) -> String? {
        guard case .object(let found)? = object[name]?.content else { return nil }
        let isPlain = found.members.allSatisfy { member in
            switch member.value.content {
            case .text, .number, .flag: true
            default: false
            }
        }
        guard isPlain else { return nil }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(found), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    func requireOnly(_ names: [String]) throws(DecodeError) {
        for member in object.members where !names.containsBytes(of: member.name) {
            throw error(.unexpected, member.name.excerpt, "allowed are \(names.joined(separator: ", "))")
        }
    }

    func optionalText(_ name: String) throws(DecodeError) -> String? {
        guard let value = object[name] else { return nil }
        guard case .text(let text) = value.content else {
            throw error(.unexpectedType, name, "expected a string, found \(value.kindName)")
        }
        guard !text.isEmpty else { throw error(.unexpectedValue, name, "the text is empty") }
        return text
    }

    func text(_ name: String) throws(DecodeError) -> String {
        guard let text = try optionalText(name) else { throw error(.missing, name, "the claim is missing") }
        return text
    }

    /// A NumericDate (RFC 7519 section 2): seconds since 1970, which may have a fraction, as any JSON number. Times before 1970, and
    /// those with more than 12 digits before the point, are no times of tokens.
    func time(_ name: String) throws(DecodeError) -> Double {
        guard let time = try optionalTime(name) else { throw error(.missing, name, "the claim is missing") }
        return time
    }

    func optionalTime(_ name: String) throws(DecodeError) -> Double? {
        guard let value = object[name] else { return nil }
        guard case .number(let number) = value.content else {
            throw error(.unexpectedType, name, "expected a number, found \(value.kindName)")
        }
        // Most times are whole, which costs less to read.
        if number.utf8.count <= 12, number.utf8.first != UInt8(ascii: "-"), let whole = Int64(number) {
            return Double(whole)
        }
        guard number.utf8.count <= Self.longestTime, number.utf8.first != UInt8(ascii: "-"), let time = Double(number),
            time < Self.endOfTime
        else { throw error(.unexpectedValue, name, "expected seconds since 1970, found \(number.excerpt)") }
        return time
    }

    /// The longest text of a time in characters. A double in JSON has at most 25.
    private static let longestTime = 32
    /// The first time with 13 digits.
    private static let endOfTime: Double = 1e12

    func optionalObject(_ name: String) throws(DecodeError) -> ClaimReader? {
        guard let value = object[name] else { return nil }
        guard case .object(let object) = value.content else {
            throw error(.unexpectedType, name, "expected an object, found \(value.kindName)")
        }
        return ClaimReader(object, path: "\(path)\(name).")
    }

    func object(_ name: String) throws(DecodeError) -> ClaimReader {
        guard let object = try optionalObject(name) else { throw error(.missing, name, "the claim is missing") }
        return object
    }

    func texts(_ name: String) throws(DecodeError) -> [String] {
        guard let value = object[name] else { throw error(.missing, name, "the claim is missing") }
        guard case .array(let elements) = value.content else {
            throw error(.unexpectedType, name, "expected an array, found \(value.kindName)")
        }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element.content else {
                throw error(.unexpectedType, name, "expected strings, found \(element.kindName)")
            }
            texts.append(text)
        }
        return texts
    }
}

/// What stands behind a token in place of a genuine device with an app of the store: the claim `env`. Services in other languages
/// refuse every token with this claim in production.
package enum TokenMark: String, Sendable, CaseIterable {
    /// A test authority signed the evidence, or there was a debug token.
    case test
    /// Apple signed the evidence in App Attest's development environment: a genuine device, with a build of a developer.
    case development
    /// The caller alone stands for the evidence, such as for an answer of Google that came with it.
    case caller
    /// The device stated that it has no evidence.
    case noEvidence = "none"
}
