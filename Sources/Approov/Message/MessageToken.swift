import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

/// The token of a message, which stands in a field of the request.
enum MessageToken {
    /// The value of the field that the policy names. It comes once: of two, sender and reader may mean different ones.
    static func find(
        in fields: [ApproovMessageInput.Field], _ configuration: ApproovConfiguration
    ) throws(CheckFailure) -> ApproovTokenInput.Evidence {
        let name = configuration.tokenHeader
        switch ApproovBoundValue(name, in: fields.lazy.map { (name: $0.name, value: $0.value) }) {
        case .missing: throw CheckFailure("token-missing", "the request has no field \(name.excerpt)")
        case .repeated:
            throw CheckFailure("token-repeated", "the request has the field \(name.excerpt) several times")
        case .value(let value):
            let token = HTTPFieldText.trimmed(value)
            guard !token.isEmpty else {
                throw CheckFailure("token-empty", "the request has the field \(name.excerpt) without a value")
            }
            return .token(token)
        }
    }

    /// What the request carries of what tokens are bound to.
    static func boundValues(
        in fields: [ApproovMessageInput.Field], _ configuration: ApproovConfiguration
    ) -> [ApproovBoundValue] {
        configuration.binding.map { name in
            ApproovBoundValue(name, in: fields.lazy.map { (name: $0.name, value: $0.value) })
        }
    }
}
