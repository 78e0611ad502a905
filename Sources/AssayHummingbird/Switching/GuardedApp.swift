import Approov
import Assay
import AssayCore
import HTTPTypes

/// An app of the policy with what the check needs of every request. A class, since every request looks at the same one.
final class GuardedApp: Sendable {
    let name: String
    /// What the verifier is told: the name, and nil for the only app, which it need not look for.
    let selector: String?
    let configuration: ApproovConfiguration
    /// The field that holds the token.
    let tokenField: HTTPField.Name
    /// The fields that tokens are bound to, in their order.
    let boundFields: [HTTPField.Name]

    init(_ name: String, isOnly: Bool, _ configuration: ApproovConfiguration) throws(PolicyError) {
        self.name = name
        selector = isOnly ? nil : name
        self.configuration = configuration
        tokenField = try Self.field(configuration.tokenHeader, of: name)
        var bound: [HTTPField.Name] = []
        for text in configuration.binding { bound.append(try Self.field(text, of: name)) }
        boundFields = bound
    }

    private static func field(_ text: String, of app: String) throws(PolicyError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw PolicyError(field: "apps", "app \(app.excerpt): \(text.excerpt) is no name of a field")
        }
        return name
    }

    /// The token of a request. Lines of one field are joined as RFC 9110 section 5.3 says, which makes no token, so that
    /// a request with two is rejected whatever they are; one without any has an empty one.
    func token(of fields: HTTPFields) -> String {
        var found: String?
        for field in fields where field.name == tokenField {
            guard found == nil else { return fields[tokenField] ?? "" }
            found = field.value
        }
        return found ?? ""
    }

    /// What a request carries of what tokens are bound to.
    func binding(of fields: HTTPFields) -> [ApproovBoundValue] {
        boundFields.map { name in
            // The fields of a request leave out the one that says which host it is for.
            let values = fields[values: name]
            return switch values.count {
            case 0: .missing
            case 1: .value(values[0])
            default: .repeated
            }
        }
    }
}
