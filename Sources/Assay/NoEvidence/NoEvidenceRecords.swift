public import AssayCore
package import AssayPrimitives
public import FoundationEssentials

extension DeviceStatementInput {
    fileprivate static let recordFields = ["reason", "code", "appVersion", "systemVersion"]

    /// Reads `reason` and the optional `code`, `appVersion` and `systemVersion` of a record.
    static func read(_ evidence: RecordObject) throws(RecordError) -> DeviceStatementInput {
        let fields = RecordFields(evidence, path: "evidence")
        try fields.requireOnly(recordFields)
        guard let reason = try fields.text("reason") else { throw fields.missing("reason") }
        return DeviceStatementInput(
            reason: reason, code: try fields.text("code"), appVersion: try fields.text("appVersion"),
            systemVersion: try fields.text("systemVersion"))
    }
}

// MARK: The field of requests

extension DeviceStatementInput {
    /// The field of a request: an Item of a structured field (RFC 9651), such as
    /// `none;reason=unsupported;code="dc:1";app-version="5.1.0";system-version="13.7"`.
    static let fieldName = "Assay-Evidence"
    /// The longest value of the field in bytes. The parts have at most 64 each.
    private static let longestField = 512

    init(_ field: RequestFieldValue) throws(DecodeError) {
        switch field {
        case .missing:
            throw DecodeError(.missing, at: 0, field: Self.fieldName, "the request has no such field")
        case .repeated:
            throw DecodeError(
                .duplicateKey, at: 0, field: Self.fieldName, "the request has the field more than once")
        case .value(let text):
            do throws(DecodeError) {
                self = try Self.parse(
                    StructuredFieldReader.readItem(Array(text.utf8)[...], limit: Self.longestField))
            } catch { throw error.within(Self.fieldName) }
        }
    }

    private static func parse(_ item: StructuredItem) throws(DecodeError) -> DeviceStatementInput {
        guard case .token(let kind) = item.value, kind.isByteEqual(to: EvidenceKind.noEvidence.name) else {
            throw DecodeError(.unexpectedValue, at: item.offset, "expected the Token \(EvidenceKind.noEvidence)")
        }
        var values: [String: String] = [:]
        for parameter in item.parameters {
            switch (parameter.key, parameter.value) {
            case ("reason", .token(let text)), ("code", .string(let text)), ("app-version", .string(let text)),
                ("system-version", .string(let text)):
                values[parameter.key] = text
            case ("reason", let value):
                throw DecodeError(
                    .unexpectedType, at: parameter.offset, field: parameter.key,
                    "expected a Token, found \(value.kindName)")
            case ("code", let value), ("app-version", let value), ("system-version", let value):
                throw DecodeError(
                    .unexpectedType, at: parameter.offset, field: parameter.key,
                    "expected a String, found \(value.kindName)")
            case (let key, _):
                throw DecodeError(
                    .unexpected, at: parameter.offset,
                    "allowed are the parameters reason, code, app-version, system-version, found \(key.excerpt)")
            }
        }
        guard let reason = values["reason"] else {
            throw DecodeError(.missing, at: item.offset, field: "reason", "the parameter is missing")
        }
        return DeviceStatementInput(
            reason: reason, code: values["code"], appVersion: values["app-version"],
            systemVersion: values["system-version"])
    }
}

extension NoEvidenceSubject {
    package init(field: RequestFieldValue) throws(DecodeError) { try self.init(DeviceStatementInput(field)) }
}

// MARK: Captures

extension EvidenceRecord {
    /// Composes the record of a device without evidence, for captures. Reading it gives the same input.
    ///
    /// - Parameters:
    ///   - id: the name of the record in verdicts and reports, such as the ID of the request.
    ///   - app: the policy's app; nil for the only one that accepts such devices.
    ///   - account: the account of the session; nil for none.
    public init(
        _ input: DeviceStatementInput, id: String? = nil, app: String? = nil, account: String? = nil, receivedAt: Date
    ) {
        var members: [(String, RecordValue.Content)] = [("reason", .text(input.reason))]
        for (name, text) in [
            ("code", input.code), ("appVersion", input.appVersion), ("systemVersion", input.systemVersion),
        ] {
            if let text { members.append((name, .text(text))) }
        }
        self.init(
            id: id, kind: .noEvidence, app: app, account: account, receivedAt: receivedAt,
            evidence: RecordObject(members), expect: nil)
    }
}

extension NoEvidenceEngine {
    /// Texts that no genuine app sends: they may contain anything. A statement itself names no person and no device, and is no
    /// credential: any client can write one.
    package static let sensitiveFields = DeviceStatementInput.recordFields.map { name in
        SensitiveField(
            name, of: .noEvidence, substitute: .none, reveals: "whatever a client has written",
            condition: "that is no text of up to 64 printable ASCII characters"
        ) { value in
            guard case .text(let text) = value.content else { return true }
            return text.utf8.count > NoEvidenceSubject.longestText
                || !text.utf8.allSatisfy(NoEvidenceSubject.isPrintable)
        }
    }

    /// Nil: the ledger keeps nothing of a statement.
    package static func orderingKey(of record: EvidenceRecord) -> String? { nil }

    /// What devices say.
    package static let dimensions = [
        SubjectDimension("reason", "Reason for no evidence"), SubjectDimension("code", "Error of the platform"),
        SubjectDimension("appVersion", "Version of the app, as stated"),
        SubjectDimension("systemVersion", "Version of the system, as stated"),
    ]
}
