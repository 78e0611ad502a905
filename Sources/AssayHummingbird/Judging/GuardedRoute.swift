import Approov
import Assay
import AssayCore
import AssayHTTPSignatures
import HTTPTypes

/// The evidence that requests to some routes must carry.
package struct GuardedRoute: Sendable {
    /// The name of the policy's route, or of its app.
    package let name: String
    let requirement: PolicyRoute.Requirement
    /// The kinds of evidence, in the order of their verification.
    let demands: [Demand]

    /// One kind of evidence, with its enforcement switch.
    struct Demand: Sendable {
        let evidence: GuardedEvidence
        let position: EnforcementSwitch.Position
    }
}

/// One kind of evidence of one app, prepared for requests. A class, so that requests share one instance.
final class GuardedEvidence: Sendable {
    /// The form in which a request carries the evidence.
    enum Form: Sendable {
        /// An Approov token. It does not cover the body.
        case token(ApproovFields)
        /// A signature over the request.
        case signature(any RequestEngine, contentDigest: CheckID, body: RequestRules.BodyRule)
        /// Evidence about method, target and fields.
        case head(any RequestEngine)
    }

    let app: String
    let kind: EvidenceKind
    /// The enforcement of the policy.
    let enforcement: Enforcement
    let form: Form

    private init(_ app: String, _ rules: RequestEvidenceRules, _ form: Form) {
        self.app = app
        kind = rules.kind
        enforcement = rules.enforcement
        self.form = form
    }

    /// All kinds of evidence that requests can carry under the verifier's policy.
    ///
    /// - Throws: `PolicyError` when a policy composed in code has an invalid field name.
    static func all(of verifier: Verifier) throws(PolicyError) -> [GuardedEvidence] {
        var all: [GuardedEvidence] = []
        for app in verifier.policy.apps {
            for (rules, engine) in verifier.requestEvidence(of: app) {
                switch rules.scope {
                case .signature(let contentDigest, let body):
                    all.append(
                        GuardedEvidence(app.name, rules, .signature(engine, contentDigest: contentDigest, body: body)))
                case .head: all.append(GuardedEvidence(app.name, rules, .head(engine)))
                case .token:
                    guard let configuration = app.configuration(ApproovConfiguration.self) else { continue }
                    all.append(
                        GuardedEvidence(app.name, rules, .token(try ApproovFields(configuration, app: app.name))))
                }
            }
        }
        return all
    }

    /// Whether this is evidence of an app and, if given, of a kind.
    func isOf(app: String, kind: EvidenceKind?) -> Bool {
        self.app.isByteEqual(to: app) && kind.map { self.kind == $0 } ?? true
    }

    /// Whether the evidence covers the request's target.
    var coversTarget: Bool { if case .token = form { false } else { true } }

    /// Whether the evidence covers the request's body.
    var coversBody: Bool { if case .signature = form { true } else { false } }
}

/// The fields of a request that contain an Approov token and the values to which it is bound.
struct ApproovFields: Sendable {
    private let tokenField: HTTPField.Name
    /// The names in the order of the binding.
    private let boundFields: [HTTPField.Name]

    init(_ configuration: ApproovConfiguration, app: String) throws(PolicyError) {
        tokenField = try Self.field(configuration.tokenHeader, of: app)
        var bound: [HTTPField.Name] = []
        for text in configuration.binding { bound.append(try Self.field(text, of: app)) }
        boundFields = bound
    }

    private static func field(_ text: String, of app: String) throws(PolicyError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw PolicyError(field: "apps", "app \(app.excerpt): \(text.excerpt) is no name of a field")
        }
        return name
    }

    /// The token of a request; empty without one. Two field lines are joined (RFC 9110 section 5.3), which gives an
    /// invalid token, so the request is rejected.
    private func token(of fields: HTTPFields) -> String {
        var found: String?
        for field in fields where field.name == tokenField {
            guard found == nil else { return fields[tokenField] ?? "" }
            found = field.value
        }
        return found ?? ""
    }

    /// The values of the bound fields.
    private func binding(of fields: HTTPFields) -> [ApproovBoundValue] {
        boundFields.map { name in
            if name == .cookie { return fields[.cookie].map { .value($0) } ?? .missing }
            // `Host` is not among these fields: HTTPTypes stores it separately.
            let values = fields[values: name]
            return switch values.count {
            case 0: .missing
            case 1: .value(values[0])
            default: .repeated
            }
        }
    }

    /// The token of a request, with the values to which it is bound.
    func input(of source: some RequestSource) -> ApproovTokenInput {
        ApproovTokenInput(
            .token(token(of: source.fields)), binding: binding(of: source.fields), address: source.address)
    }
}
