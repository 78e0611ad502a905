import AssayHTTPSignatures
import AssayPrimitives

/// A token to be verified, with what came along with it.
public struct ApproovTokenInput: Sendable {
    /// What stands for the token.
    public enum Evidence: Sendable, Equatable {
        /// The token, as the field of the request held it.
        case token(String)
        /// What `TokenFetchResult.getLoggableToken()` gave: the claims with the beginning of the signature. When it holds,
        /// Approov has issued such a token. Whoever has it does not have the token.
        case loggable(String)
    }

    /// The token.
    public let evidence: Evidence
    /// What the request carried of what tokens are bound to, in the order of the policy.
    public let binding: [ApproovBoundValue]
    /// The address that the request came from, IPv4 or IPv6, and nil when it is not known.
    public let address: String?

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

/// What a request carries in a field that tokens are bound to.
public enum ApproovBoundValue: Sendable, Equatable {
    /// The value of the field, which came once.
    case value(String)
    /// The request has no such field.
    case missing
    /// The field came several times, and which one the app hashed is not known.
    case repeated

    /// Looks for a field by its name, in whatever case it is written.
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
