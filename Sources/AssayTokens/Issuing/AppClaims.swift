import AssayCore
import AssayPrimitives

/// A claim that an app may put into its tokens: a part of the policy's `tokens.claims`.
package struct AppClaimRule: Sendable, Equatable {
    /// The type of the value.
    package enum Form: Sendable, Equatable {
        /// A text of at most some bytes of UTF-8, without control characters.
        case text(Int)
        /// A number.
        case number
        /// True or false.
        case flag
    }

    /// The name of the claim.
    package let name: String
    /// The type of its value.
    package let form: Form

    /// The most claims of an app.
    static let most = 16
    /// The longest text, and that of a `text` without a length, in bytes.
    fileprivate static let (longestText, usualText) = (255, 64)

    /// Reads `{ NAME: TYPE }`.
    static func list(_ node: PolicyNode) throws(PolicyError) -> [AppClaimRule] {
        guard case .mapping(let entries) = node.content, (1...most).contains(entries.count) else {
            throw node.error(
                "expected a mapping of 1 to \(most) names to text, text LENGTH, number or flag, found \(node.found)")
        }
        return try entries.map { (entry) throws(PolicyError) in
            guard (1...64).contains(entry.key.utf8.count),
                entry.key.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "-_.".utf8.contains($0) })
            else {
                throw node.error(
                    "a claim has 1 to 64 letters, digits, -, _ and ., found \"\(entry.key.excerpt)\"")
            }
            guard let form = try Form(entry.value.text()) else {
                throw entry.value.error(
                    "expected text, text LENGTH from 1 to \(longestText), number or flag, found \(entry.value.found)")
            }
            return AppClaimRule(name: entry.key, form: form)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// The mapping of a policy.
    static func node(_ rules: [AppClaimRule]) -> PolicyNode.Content? {
        rules.isEmpty
            ? nil : .mapping(rules.map { (key: $0.name, line: 0, value: .written(.scalar($0.form.word))) })
    }

    /// Why a value does not have the type; nil if it has.
    func objection(to value: RecordValue) -> String? {
        switch (form, value.content) {
        case (.flag, .flag): return nil
        case (.number, .number(let number)):
            return number.utf8.count <= 24 ? nil : "a number has at most 24 characters"
        case (.text(let limit), .text(let text)):
            guard text.utf8.count <= limit else { return "expected at most \(limit) bytes, found \(text.utf8.count)" }
            let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            return isPlain ? nil : "a text has no control characters"
        default: return "expected \(form.word), found \(value.kindName)"
        }
    }
}

extension AppClaimRule.Form {
    fileprivate init?(_ word: String) {
        switch word {
        case "number": self = .number
        case "flag": self = .flag
        case "text": self = .text(AppClaimRule.usualText)
        default:
            let parts = word.split(separator: " ")
            guard parts.count == 2, parts[0] == "text", let length = Int(parts[1]), "\(length)" == parts[1],
                (1...AppClaimRule.longestText).contains(length)
            else { return nil }
            self = .text(length)
        }
    }

    fileprivate var word: String {
        switch self {
        case .text(let length): "text \(length)"
        case .number: "number"
        case .flag: "flag"
        }
    }
}

/// The claims that an app puts into its token: its own word, which the evidence covers (Approov, Custom JWT Fetch). A token has them in
/// one claim, so that none can be taken for a claim of the issuer.
enum AppClaims {
    /// The claim of the token.
    static let claim = "claims"
    /// The longest JSON text in bytes: with it a token stays shorter than ``TokenClaims/maximumLength``.
    static let longest = 512

    /// The claims of a request as a member of the token's claims; empty without any.
    ///
    /// - Throws: `invalid-claims` for a text that is no JSON object, and for a claim that the policy does not allow.
    static func members(
        of request: TokenRequest, _ configuration: TokenConfiguration
    ) throws(RequestError) -> [(String, RecordValue.Content)] {
        guard let text = request.claims else { return [] }
        func refuse(_ message: String) -> RequestError { RequestError(.invalidClaims, message) }
        guard configuration.shape.format == .assay, !configuration.claims.isEmpty else {
            throw refuse("the policy allows no claims of the app: see tokens.claims, which needs format: assay")
        }
        guard text.utf8.count <= longest else {
            throw refuse("claims have at most \(longest) bytes, found \(text.utf8.count)")
        }
        let object: RecordObject
        do throws(DecodeError) { object = try JSONReader.readObject(Array(text.utf8), limit: longest) } catch {
            throw refuse("claims are the text of a JSON object: \(error.detail)")
        }
        for member in object.members {
            guard let rule = configuration.claims.first(where: { $0.name.isByteEqual(to: member.name) }) else {
                let names = configuration.claims.map(\.name).joined(separator: ", ")
                throw refuse("the policy allows the claims \(names), found \"\(member.name.excerpt)\"")
            }
            if let objection = rule.objection(to: member.value) { throw refuse("\(rule.name): \(objection)") }
        }
        return [(claim, .object(object))]
    }

    /// The line of the evidence for the claims, without its line feed: base64url of the SHA-256 digest of the text.
    static func line(_ text: String) -> String { Base64.encode(Digest.sha256(Array(text.utf8)), .url) }
}
