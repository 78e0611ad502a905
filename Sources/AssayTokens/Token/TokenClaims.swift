package import AssayCore
import AssayPrimitives

/// The claims of a token of type `assay+jwt` (RFC 7519), as Assay writes them. All times are in whole seconds since 1970.
package struct TokenClaims: Sendable, Equatable {
    /// The evidence that the token was issued for.
    package struct Attestation: Sendable, Equatable {
        /// Its kind, such as `app-attest.assertion`.
        package let kind: String
        /// When it was judged.
        package let at: Int64
        /// The checks that failed without rejecting it.
        package let annotated: [String]

        package init(kind: String, at: Int64, annotated: [String]) {
            (self.kind, self.at, self.annotated) = (kind, at, annotated)
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
    package var issuedAt: Int64
    /// `exp`: the first second at which the token is not valid.
    package var expiresAt: Int64
    /// `jti`: 128 random bits in base64url.
    package var tokenID: String
    /// `app`: the policy's app.
    package var app: String
    /// `env`: `test` if a test authority signed the evidence, or for a debug token; nil for genuine evidence.
    package var environment: String?
    /// `att`: the evidence.
    package var attestation: Attestation
    /// `cnf.jkt`: the thumbprint of the key that the token is bound to (RFC 9449 section 6.1).
    package var keyThumbprint: String?
    /// `use`: true for a token that is accepted once.
    package var isLimitedUse: Bool
    /// `ref`: the subjects that a block must reach, for the issuer alone; see ``TokenSecret``.
    package var reference: String?
    /// Whether the token rests on a test authority or a debug token.
    var isOfTest: Bool {
        environment != nil || attestation.kind.isByteEqual(to: DebugToken.attestationKind)
    }

    /// The claims as JSON, without white space.
    package var json: [UInt8] { json(adding: []) }

    /// The claims as JSON with further ones, which Assay writes and does not read.
    func json(adding more: [(String, RecordValue.Content)]) -> [UInt8] {
        var members: [(String, RecordValue.Content)] = [
            ("iss", .text(issuer)), ("aud", .text(audience)),
        ]
        if let subject { members.append(("sub", .text(subject))) }
        members += [
            ("iat", .number("\(issuedAt)")), ("exp", .number("\(expiresAt)")), ("jti", .text(tokenID)),
            ("app", .text(app)),
        ]
        if let environment { members.append(("env", .text(environment))) }
        let annotated = attestation.annotated.map { RecordValue(.text($0), offset: 0) }
        members.append(
            (
                "att",
                .object(
                    RecordObject([
                        ("kind", .text(attestation.kind)), ("at", .number("\(attestation.at)")),
                        ("annotated", .array(annotated)),
                    ]))
            ))
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
}

extension TokenClaims {
    /// Reads the claims of a payload. Unknown claims are ignored (RFC 7519 section 4); known ones have one form.
    ///
    /// - Throws: ``DecodeError`` with the name of the claim.
    package init(_ payload: [UInt8]) throws(DecodeError) {
        let claims = ClaimReader(try JSONReader.readObject(payload, limit: TokenClaims.maximumLength))
        issuer = try claims.text("iss")
        audience = try claims.text("aud")
        subject = try claims.optionalText("sub")
        issuedAt = try claims.time("iat")
        expiresAt = try claims.time("exp")
        tokenID = try claims.text("jti")
        app = try claims.text("app")
        environment = try claims.optionalText("env")
        let att = try claims.object("att")
        attestation = Attestation(
            kind: try att.text("kind"), at: try att.time("at"), annotated: try att.texts("annotated"))
        keyThumbprint = try claims.optionalObject("cnf").map { (confirmation) throws(DecodeError) in
            // Reject unknown confirmation methods: ignoring one would turn a bound token into a bearer token.
            try confirmation.demandOnly(["jkt"])
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

    func error(_ reason: CheckCode, _ name: String, _ message: String) -> DecodeError {
        DecodeError(reason, at: object[name]?.offset ?? object.offset, field: path + name, message)
    }

    func demandOnly(_ names: [String]) throws(DecodeError) {
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

    /// Whole seconds since 1970, at most 12 digits, without sign, fraction and exponent: other forms mean different times to
    /// different readers.
    func time(_ name: String) throws(DecodeError) -> Int64 {
        guard let value = object[name] else { throw error(.missing, name, "the claim is missing") }
        guard case .number(let number) = value.content else {
            throw error(.unexpectedType, name, "expected a number, found \(value.kindName)")
        }
        guard number.utf8.count <= 12, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let time = Int64(number)
        else { throw error(.unexpectedValue, name, "expected whole seconds since 1970, found \(number.excerpt)") }
        return time
    }

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
