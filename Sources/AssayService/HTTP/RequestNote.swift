import AssayCore
import AssayHTTP
import HTTPTypes
import Logging

/// Log fields of a request, or of a record of a stream. Must not contain evidence.
struct RequestNote {
    /// The name of the operator whose token was sent.
    var caller: String?
    var kind: String?
    var app: String?
    /// The name of the record.
    var record: String?
    /// The account that the record names. It is logged as the policy says.
    private var account: String?
    private var verdict: Verdict?
    /// The outcome, where no verdict is logged.
    var outcome: String?
    /// The route of forward auth.
    var route: String?
    /// What the client of the gateway sent, in forward auth.
    var client: (method: String, host: String?, target: String)?
    /// The decision of forward auth.
    var decision: RequestDecision?
    /// The name of the debug token for which a token was issued.
    var debugToken: String?
    /// The attestation response code of the answer.
    var responseCode: String?
    /// The names of the runtime secrets that were delivered.
    var secrets: [String]?
    /// Whether a failover instance issued a token without evidence.
    var isFailover = false
    /// The code of a problem.
    var problem: String?
    /// Whether the problem is that of a gateway's configuration.
    private var isGatewayWrong = false
    /// The detail of a problem of the service or of a gateway.
    var detail: String?
    /// The field and the byte that cannot be read.
    private var place: (field: String, offset: Int?)?

    init(caller: String? = nil) { self.caller = caller }

    mutating func take(_ read: EvidenceRecord) {
        (kind, app, record, account) = (read.kind.name, read.app, read.id, read.account)
    }

    mutating func take(_ verdict: Verdict) { self.verdict = verdict }

    mutating func take(_ error: Problem) {
        problem = error.code.rawValue
        if error.status.code >= 500 || error.code.concernsGateway { detail = error.logDetail ?? error.detail }
        isGatewayWrong = error.code.concernsGateway
        place = error.place
    }

    /// The level of the log line of an answer with a status.
    func level(_ status: Int) -> Logger.Level {
        if status >= 500 { return .error }
        if isGatewayWrong { return .warning }
        // Each use must be in the log at its standard level.
        if debugToken != nil || isFailover { return .notice }
        if secrets != nil { return .info }
        let outcome = decision?.word ?? verdict?.outcome.rawValue ?? outcome
        return problem != nil || outcome != "accept" && outcome != nil ? .info : .debug
    }

    /// Adds the fields to those of a log line.
    ///
    /// - Parameter accounts: what the policy lets logs contain of accounts.
    func write(to metadata: inout Logger.Metadata, _ accounts: AddressRule) {
        if let caller { metadata["assay.caller"] = "\(caller)" }
        if let kind { metadata["assay.kind"] = "\(kind.excerpt)" }
        if let app { metadata["assay.app"] = "\(app.excerpt)" }
        if let record { metadata["assay.recordId"] = "\(record.excerpt)" }
        if let debugToken { metadata["assay.debugToken"] = "\(debugToken)" }
        if let responseCode { metadata["assay.arc"] = "\(responseCode)" }
        if isFailover { metadata["assay.failover"] = "true" }
        if let secrets { metadata["assay.secrets"] = .array(secrets.map { "\($0)" }) }
        if let outcome { metadata["assay.outcome"] = "\(outcome)" }
        if let route { metadata["assay.route"] = "\(route.excerpt)" }
        if let client {
            metadata["assay.client.method"] = "\(client.method.excerpt)"
            if let host = client.host { metadata["assay.client.host"] = "\(host.excerpt)" }
            metadata["assay.client.path"] = "\(client.target.prefix { $0 != "?" }.description.excerpt)"
        }
        let fields =
            verdict?.logFields(account: account, accounts) ?? decision?.logFields(account: nil, accounts) ?? []
        for (name, value) in fields { metadata["assay.\(name)"] = value }
        if let problem { metadata["assay.code"] = "\(problem)" }
        if let place {
            if !place.field.isEmpty { metadata["assay.field"] = "\(place.field.excerpt)" }
            if let offset = place.offset { metadata["assay.offset"] = .stringConvertible(offset) }
        }
        if let detail { metadata["assay.problem"] = "\(detail)" }
    }
}
