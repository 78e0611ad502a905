import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

/// The token of a message, in a field of the request.
enum MessageToken {
    /// The codes of ``find(in:_:)``.
    static let codes: [CheckCode] = [.tokenMissing, .tokenRepeated, .tokenEmpty]

    /// The value of the token field. The field must occur once: of two, sender and reader could use different ones.
    static func find(
        in fields: [ApproovMessageInput.Field], _ configuration: ApproovConfiguration
    ) throws(CheckFailure) -> ApproovTokenInput.Evidence {
        let name = configuration.tokenHeader
        switch ApproovBoundValue(name, in: fields.lazy.map { (name: $0.name, value: $0.value) }) {
        case .missing: throw CheckFailure(.tokenMissing, "the request has no field \(name.excerpt)")
        case .repeated:
            throw CheckFailure(.tokenRepeated, "the request has the field \(name.excerpt) several times")
        case .value(let value):
            let token = HTTPFieldText.trimmed(value)
            guard !token.isEmpty else {
                throw CheckFailure(.tokenEmpty, "the request has the field \(name.excerpt) without a value")
            }
            return .token(token)
        }
    }

    /// The request's values of the bound fields.
    static func boundValues(
        in fields: [ApproovMessageInput.Field], _ configuration: ApproovConfiguration
    ) -> [ApproovBoundValue] {
        configuration.binding.map { name in
            ApproovBoundValue(name, in: fields.lazy.map { (name: $0.name, value: $0.value) })
        }
    }
}

extension CheckCode {
    fileprivate static let tokenMissing = CheckCode(
        "token-missing",
        """
        The request lacks the field that `tokenHeader` in the policy names: the app sent no token, or a proxy removed \
        it.
        """, remedy: .retry)
    fileprivate static let tokenRepeated = CheckCode(
        "token-repeated", "The request has the token's field several times, and each reader may take another one.")
    fileprivate static let tokenEmpty = CheckCode(
        "token-empty", "The token's field is empty: the app got no token from Approov and sent the field all the same.",
        remedy: .retry)
}
