package import AssayCore

/// How a request presents a token: the token, its scheme, and the proofs of its key.
package struct TokenPresentation: Sendable {
    /// The scheme of the field `Authorization`.
    package enum Scheme: Sendable {
        /// RFC 9449 section 7.1.
        case dpop
        /// RFC 6750 section 2.1.
        case bearer
        /// The token came alone, without a request.
        case none
    }

    /// A request that a proof is about.
    package struct Target: Sendable {
        package let method: String
        /// The target URI that the client addressed.
        package let uri: String
    }

    package let token: String
    package let scheme: Scheme
    /// The values of all fields `DPoP`.
    package let proofs: [String]
    /// The request; nil for a token that came alone.
    package let target: Target?

    package init(token: String) {
        self.token = token
        scheme = .none
        proofs = []
        target = nil
    }

    /// Reads the fields of a request: one `Authorization` with the scheme `DPoP` or `Bearer`, and the fields `DPoP`.
    /// - Throws: ``DecodeError`` if no token can be read, or if two readers could read two.
    package init(_ request: SignedRequest) throws(DecodeError) {
        func values(_ name: String) -> [String] {
            request.fields.compactMap {
                HTTPFieldText.isName($0.name, equalTo: name) ? HTTPFieldText.trimmed($0.value) : nil
            }
        }
        let credentials = values("Authorization")
        guard let value = credentials.first else {
            throw DecodeError(.missing, at: 0, field: "Authorization", "the request carries no token")
        }
        guard credentials.count == 1 else {
            throw DecodeError(
                .duplicateKey, at: 0, field: "Authorization", "expected one field, found \(credentials.count)")
        }
        // As an array: a split of the text's bytes would take a quarter of all instructions besides cryptography.
        let bytes = Array(value.utf8)
        let scheme = bytes.prefix { $0 != UInt8(ascii: " ") }
        let rest = bytes[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard !scheme.isEmpty, !rest.isEmpty, !rest.contains(UInt8(ascii: " ")) else {
            throw DecodeError(.malformed, at: 0, field: "Authorization", "expected a scheme, a space and a token")
        }
        let name = String(decoding: scheme, as: UTF8.self)
        if HTTPFieldText.isName(name, equalTo: "DPoP") {
            self.scheme = .dpop
        } else if HTTPFieldText.isName(name, equalTo: "Bearer") {
            self.scheme = .bearer
        } else {
            throw DecodeError(
                .unexpectedValue, at: 0, field: "Authorization",
                "expected the scheme DPoP or Bearer, found \(name.excerpt)")
        }
        token = String(decoding: rest, as: UTF8.self)
        proofs = values("DPoP")
        target = Target(method: request.method, uri: request.targetURI)
    }
}
