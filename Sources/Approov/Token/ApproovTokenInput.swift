import AssayCore

/// A token to verify, with the bound values and the address of its request.
public struct ApproovTokenInput: Sendable {
    /// The token, or its loggable form.
    public enum Evidence: Sendable, Equatable {
        /// The token, as in the request field.
        case token(String)
        /// The result of `TokenFetchResult.getLoggableToken()`: the claims with the beginning of the signature. A
        /// `Verifier` rejects it, because every reader of a log has it. Replays and `assay verify --loggable` compare
        /// the signature.
        case loggable(String)
        /// The request has no field with a token.
        case missing
        /// The request has the field several times. Of two tokens, each reader may take another one.
        case repeated
    }

    /// The token.
    package let evidence: Evidence
    /// The bound values of the request, in policy order.
    package let binding: [ApproovBoundValue]
    /// The client's address, IPv4 or IPv6; nil if unknown.
    package let address: String?

    /// Creates the input of a verification.
    public init(_ evidence: Evidence, binding: [ApproovBoundValue] = [], address: String? = nil) {
        (self.evidence, self.binding, self.address) = (evidence, binding, address)
    }

    /// Creates the input of a verification from a token's text and its bound values.
    ///
    /// - Parameters:
    ///   - token: The value of the field `Approov-Token`; empty if the request has none, which is rejected.
    ///     ``Evidence/missing`` says that there is no field.
    ///   - binding: The bound values in policy order. For missing or repeated ones, see
    ///     ``ApproovBoundValue/init(_:in:)``.
    ///   - address: The client's address.
    public init(token: String, binding: [String] = [], address: String? = nil) {
        self.init(.token(token), binding: binding.map { .value($0) }, address: address)
    }
}

/// The value of a bound request field.
public enum ApproovBoundValue: Sendable, Equatable {
    /// The value of a field that occurred once.
    case value(String)
    /// The request has no such field.
    case missing
    /// The request has the field several times. The app could have hashed any of them.
    case repeated

    /// Finds a field by its name, case-insensitive, among the fields of a request as received.
    public init(_ name: String, in fields: some Sequence<(name: String, value: String)>) {
        var found: String?
        for field in fields where HTTPFieldText.isName(field.name, equalTo: name) {
            guard found == nil else {
                self = .repeated
                return
            }
            found = field.value
        }
        self = found.map { .value($0) } ?? .missing
    }
}
