import AssayCore

/// The token in a field of a request.
enum MessageToken {
    /// The codes of ``absence(of:_:)``.
    static let codes: [CheckCode] = [.tokenMissing, .tokenRepeated, .tokenEmpty]

    /// The value of the token field. The field must occur once: of two, sender and reader could use different ones.
    static func find(
        in fields: [ApproovMessageInput.Field], _ configuration: ApproovConfiguration
    ) -> ApproovTokenInput.Evidence {
        switch ApproovBoundValue(configuration.tokenHeader, in: fields.lazy.map { (name: $0.name, value: $0.value) }) {
        case .missing: .missing
        case .repeated: .repeated
        case .value(let value): .token(HTTPFieldText.trimmed(value))
        }
    }

    /// Why there is no token, with the same codes for every kind of evidence; nil if there is a text.
    static func absence(
        of evidence: ApproovTokenInput.Evidence, _ configuration: ApproovConfiguration
    ) -> CheckFailure? {
        let name = configuration.tokenHeader
        switch evidence {
        case .missing: return CheckFailure(.tokenMissing, "the request has no field \(name.excerpt)")
        case .repeated: return CheckFailure(.tokenRepeated, "the request has the field \(name.excerpt) several times")
        case .loggable: return nil
        case .token(let text):
            // Most texts are tokens, and much longer.
            guard text.utf8.count <= 64 + (configuration.tokenPrefix?.utf8.count ?? 0) else { return nil }
            let rest = HTTPFieldText.trimmed(text)
            guard rest.isEmpty || configuration.tokenPrefix.map({ HTTPFieldText.trimmed($0) == rest }) == true else {
                return nil
            }
            return CheckFailure(.tokenEmpty, "the token is empty: the field \(name.excerpt) has no value")
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
