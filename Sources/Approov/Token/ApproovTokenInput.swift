import AssayHTTPSignatures
import AssayPrimitives

/// A token to be verified, with the bound values and the address of its request.
public struct ApproovTokenInput: Sendable {
    /// The token, or its loggable form.
    public enum Evidence: Sendable, Equatable {
        /// The token, as the field of the request held it.
        case token(String)
        /// The result of `TokenFetchResult.getLoggableToken()`: the claims with the beginning of the signature. A `Verifier`
        /// rejects it, as whoever reads a log has it; replays and `assay verify --loggable` compare the signature.
        case loggable(String)
    }

    /// The token.
    package let evidence: Evidence
    /// The bound values of the request, in the order of the policy.
    package let binding: [ApproovBoundValue]
    /// The address that the request came from, IPv4 or IPv6, and nil when it is not known.
    package let address: String?

    /// Composes the input of a verification.
    public init(_ evidence: Evidence, binding: [ApproovBoundValue] = [], address: String? = nil) {
        self.evidence = evidence
        self.binding = binding
        self.address = address
    }

    /// Composes the input of a verification from the text of a token and the values that it is bound to.
    ///
    /// - Parameters:
    ///   - token: the value of the field `Approov-Token`, and an empty text when the request has none, which is rejected.
    ///   - binding: the values of the bound fields, in the order of the policy. A request may lack one, or have it twice:
    ///     ``ApproovBoundValue/init(_:in:)`` finds out.
    ///   - address: the address that the request came from.
    public init(token: String, binding: [String] = [], address: String? = nil) {
        self.init(.token(token), binding: binding.map { .value($0) }, address: address)
    }
}

/// The value of a request's field that tokens are bound to.
public enum ApproovBoundValue: Sendable, Equatable {
    /// The value of the field, which came once.
    case value(String)
    /// The request has no such field.
    case missing
    /// The request has the field several times; it is not known which one the app hashed.
    case repeated

    /// Finds a field by its name, in any case.
    ///
    /// - Parameters:
    ///   - name: the name of the field.
    ///   - fields: the fields of the request, as received.
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
