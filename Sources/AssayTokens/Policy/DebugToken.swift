import AssayCore
package import FoundationEssentials

/// A secret of the policy that is exchanged for tokens without evidence: for simulators and continuous integration. An element of
/// `tokens.debugTokens`.
package struct DebugToken: Sendable, Equatable {
    /// The longest time from `from` to `until` in seconds: 90 days.
    package static let longestWindow: Double = 90 * 86_400
    /// The beginning of the secret, by which secret scanners recognise leaked ones.
    package static let prefix = "assay_debug_"
    /// `att.kind` of the tokens that are issued for one.
    package static let attestationKind = "debug-token"
    /// The beginning of `sub` of those tokens, before the name. No pseudonym of a device contains a colon.
    static let subjectPrefix = "debug-token:"
    private static let secretLength = 32

    /// The name, for logs and `sub`.
    package let name: String
    /// SHA-256 of the secret's text, in hexadecimal digits.
    package let hash: String
    /// The first time at which it counts.
    package let from: Date
    /// The first time at which it does not count any more.
    package let until: Date

    /// Draws a secret from the system's random number generator: the prefix, and base64url of 32 bytes.
    package static func randomSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return prefix
            + Base64.encode(
                (0..<secretLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, .url)
    }

    /// SHA-256 of a secret's text, in hexadecimal digits.
    /// - Returns: nil for text of another form than that of ``randomSecret()``, which might be guessed.
    package static func hash(of secret: String) -> String? {
        guard secret.utf8.starts(with: prefix.utf8),
            let bytes = try? Base64.decode(Array(secret.utf8)[prefix.utf8.count...], .url),
            bytes.count == secretLength
        else { return nil }
        return Digest.sha256(Array(secret.utf8)).hexadecimal
    }

    /// The one of several that has a secret and counts at a time; nil for none. The duration depends on the number of tokens alone.
    static func matching(_ secret: String, among tokens: [DebugToken], at now: Date) -> DebugToken? {
        guard let hash = hash(of: secret) else { return nil }
        var found: DebugToken?
        for token in tokens where ConstantTime.equals(Array(token.hash.utf8), Array(hash.utf8)) { found = token }
        return found.flatMap { $0.from <= now && now < $0.until ? $0 : nil }
    }
}

// MARK: Policy

extension DebugToken {
    /// Reads `debugTokens`.
    static func list(_ node: PolicyNode) throws(PolicyError) -> [DebugToken] {
        var tokens: [DebugToken] = []
        for element in try node.elements() {
            let token = try DebugToken(element)
            guard !tokens.contains(where: { $0.name.isByteEqual(to: token.name) }) else {
                throw element.error("two debug tokens have the name \(token.name)")
            }
            guard !tokens.contains(where: { $0.hash.isByteEqual(to: token.hash) }) else {
                throw element.error("two debug tokens have one hash: draw a secret for each name")
            }
            tokens.append(token)
        }
        return tokens
    }

    private init(_ node: PolicyNode) throws(PolicyError) {
        let fields = try node.members(["name", "sha256", "from", "until"])
        guard let name = fields["name"] else { throw node.missing("name", "such as ci") }
        guard let hash = fields["sha256"] else {
            throw node.missing("sha256", "`assay tokens debug` draws a secret and prints it")
        }
        guard let from = fields["from"] else { throw node.missing("from", "such as 2027-01-01T00:00:00Z") }
        guard let until = fields["until"] else { throw node.missing("until", "at most 90 days after from") }
        self.name = try name.text()
        if let objection = Self.objection(toName: self.name) { throw name.error(objection) }
        self.hash = try hash.text()
        guard self.hash.utf8.count == 64,
            self.hash.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else {
            // The text may be the secret itself: the error does not repeat it.
            throw hash.error("expected the SHA-256 hash of the secret, 64 hexadecimal digits in lower case")
        }
        self.from = try from.time()
        self.until = try until.time()
        let window = self.until.timeIntervalSince(self.from)
        guard window > 0, window <= Self.longestWindow else {
            throw until.error("expected a time after from, and at most 90 days after it, found \(until.found)")
        }
    }

    /// Why a text is no name; nil if it is one.
    package static func objection(toName name: String) -> String? {
        let isName =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
        return isName ? nil : "expected a name of 1 to 64 letters, digits, -, . and _, found \"\(name.excerpt)\""
    }

    /// The element of the policy.
    var node: PolicyNode {
        func scalar(_ text: String) -> PolicyNode { .written(.scalar(text)) }
        return .written(
            .mapping([
                (key: "name", line: 0, value: scalar(name)), (key: "sha256", line: 0, value: scalar(hash)),
                (key: "from", line: 0, value: scalar(RFC3339.format(from))),
                (key: "until", line: 0, value: scalar(RFC3339.format(until))),
            ]))
    }
}
