import Assay
package import AssayCore
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
        let evidence: RequiredEvidence
        let position: EnforcementSwitch.Position
    }

    /// Indices of accepting verdicts in the places of the route's evidence: nil where the enforcement is `off`, under `require: all`. A
    /// route that one of them suffices for has one place.
    package func places(of verdicts: [Verdict]) -> [Int?] {
        guard requirement == .all, demands.count > 1 else {
            var places: [Int?] = []
            for index in 0..<verdicts.count { places.append(index) }
            return places
        }
        return demands.map { verdicts.firstIndex(where: $0.evidence.isOf) }
    }
}

/// Names a kind of evidence of an app. Names of apps are compared as bytes.
struct EvidenceName: Hashable {
    private let app: [UInt8]
    private let kind: EvidenceKind

    init(app: String, kind: EvidenceKind) {
        self.app = Array(app.utf8)
        self.kind = kind
    }
}

/// One kind of evidence of one app, prepared for requests. A class, so that requests share one instance.
final class RequiredEvidence: Sendable {
    /// The form in which a request carries the evidence.
    enum Form: Sendable {
        /// In fields. It covers neither target nor body.
        case fields(CarriedFields)
        /// A signature over the request.
        case signature(contentDigest: CheckID, body: RequestRules.BodyRule)
        /// Evidence about method, target and fields.
        case head
    }

    let app: String
    let kind: EvidenceKind
    /// The enforcement of the policy.
    let enforcement: Enforcement
    let engine: any RequestEngine
    /// The same engine, if it can judge without waiting.
    let immediate: (any ImmediateRequestEngine)?
    let form: Form
    /// Whether it is only a statement of the client; see `RequestEvidenceRules/isStatement`.
    let isStatement: Bool

    private init(_ app: String, _ rules: RequestEvidenceRules, _ engine: any RequestEngine) throws(PolicyError) {
        self.app = app
        kind = rules.kind
        enforcement = rules.enforcement
        self.engine = engine
        immediate = engine as? any ImmediateRequestEngine
        isStatement = rules.isStatement
        switch rules.scope {
        case .signature(let contentDigest, let body): form = .signature(contentDigest: contentDigest, body: body)
        case .head: form = .head
        case .fields(let names): form = .fields(try CarriedFields(names, app: app))
        }
    }

    /// All kinds of evidence that requests can carry under the verifier's policy.
    ///
    /// - Throws: `PolicyError` when a policy composed in code has an invalid field name.
    static func all(of verifier: Verifier) throws(PolicyError) -> [RequiredEvidence] {
        var all: [RequiredEvidence] = []
        for app in verifier.policy.apps {
            for (rules, engine) in verifier.requestEvidence(of: app) {
                all.append(try RequiredEvidence(app.name, rules, engine))
            }
        }
        return all
    }

    /// The name in tables of all evidence.
    var name: EvidenceName { EvidenceName(app: app, kind: kind) }

    /// Whether this is evidence of an app and, if given, of a kind.
    func isOf(app: String, kind: EvidenceKind?) -> Bool {
        self.app.isByteEqual(to: app) && kind.map { self.kind == $0 } ?? true
    }

    /// Whether a verdict is about this evidence.
    func isOf(_ verdict: Verdict) -> Bool {
        kind == verdict.kind && verdict.app.map { app.isByteEqual(to: $0) } ?? false
    }

    /// Whether the evidence covers the request's target.
    var coversTarget: Bool { if case .fields = form { false } else { true } }

    /// Whether a request has the field of the evidence, whatever it holds; false for evidence without a field of its own.
    func isCarried(in fields: HTTPFields) -> Bool {
        guard case .fields(let names) = form else { return false }
        if case .missing = names.value(0, of: fields) { return false }
        return true
    }

    /// Whether the evidence covers the request's body.
    var coversBody: Bool { if case .signature = form { true } else { false } }
}

/// The fields of a request that contain evidence.
struct CarriedFields: Sendable {
    /// The names in the order of the engine.
    private let names: [HTTPField.Name]

    init(_ names: [String], app: String) throws(PolicyError) {
        var known: [HTTPField.Name] = []
        for text in names {
            guard let name = HTTPField.Name(text) else {
                throw PolicyError(field: "apps", "app \(app.excerpt): \(text.excerpt) is no name of a field")
            }
            known.append(name)
        }
        self.names = known
    }

    /// The name of the field at a place in the order of the engine.
    func name(_ index: Int) -> HTTPField.Name { names[index] }

    /// The value of the field at a place in the order of the engine.
    func value(_ index: Int, of fields: HTTPFields) -> RequestFieldValue { Self.value(names[index], of: fields) }

    /// The value of the field with a name.
    static func value(_ name: HTTPField.Name, of fields: HTTPFields) -> RequestFieldValue {
        // The parts of a cookie are one value (RFC 9113 section 8.2.3).
        if name.canonicalName.isByteEqual(to: "cookie") { return fields[.cookie].map { .value($0) } ?? .missing }
        var found: String?
        // `Host` is not among these fields: HTTPTypes stores it separately.
        for index in fields.indices where fields[index].name.canonicalName.isByteEqual(to: name.canonicalName) {
            guard found == nil else { return .repeated }
            found = fields[index].value
        }
        return found.map { .value($0) } ?? .missing
    }
}
