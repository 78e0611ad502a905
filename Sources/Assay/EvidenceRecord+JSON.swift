package import AssayCore
import AssayPrimitives
import FoundationEssentials

extension RecordError {
    /// The error for JSON that cannot be read.
    package init(_ error: DecodeError) {
        self.init(field: error.field, offset: error.offset, error.message)
    }
}

extension EvidenceRecord {
    private static let fieldNames = [
        "id", "kind", "app", "account", "deviceToken", "deviceBits", "property", "receivedAt", "evidence", "redacted",
        "expect",
    ]

    /// Reads a record from JSON. The engine of its kind reads the evidence.
    package init(_ value: RecordValue) throws(RecordError) {
        let fields = try RecordFields(value, path: "")
        try fields.requireOnly(EvidenceRecord.fieldNames)
        guard let kind = try fields.text("kind", atMost: InputLimits.recordName) else { throw fields.missing("kind") }
        guard let evidence = fields["evidence"] else { throw fields.missing("evidence") }
        var expectation: Expectation?
        if let expect = fields["expect"] { expectation = try Expectation(expect) }
        let account = try fields.text("account", atMost: InputLimits.account)
        guard account != "" else { throw fields.error("account", "expected a name, found an empty one") }
        let redacted = try fields.texts("redacted")
        let property = try fields.text("property")
        if let objection = property.flatMap(ClientProperty.objection) { throw fields.error("property", objection) }
        self.init(
            id: try fields.text("id", atMost: InputLimits.recordID), kind: EvidenceKind(kind),
            app: try fields.text("app", atMost: InputLimits.recordName), account: account,
            deviceToken: try fields.deviceToken(), deviceBits: try fields.deviceBits(),
            receivedAt: try fields.time("receivedAt"),
            evidence: try RecordFields(evidence, path: "evidence").object.withoutNulls, expect: expectation)
        self.redacted = redacted
        self.property = property
    }
}

extension EvidenceRecord.Expectation {
    fileprivate init(_ value: RecordValue) throws(RecordError) {
        let fields = try RecordFields(value, path: "expect")
        try fields.requireOnly(["outcome", "failed"])
        guard let word = try fields.text("outcome") else { throw fields.missing("outcome") }
        let outcomes: [Verdict.Outcome] = [.accept, .reject]
        guard let outcome = outcomes.first(where: { $0.rawValue.isByteEqual(to: word) }) else {
            throw fields.error("outcome", "expected accept or reject, found \"\(word.excerpt)\"")
        }
        self.init(outcome: outcome, failed: try Self.failures(fields))
    }

    private static func failures(_ fields: RecordFields) throws(RecordError) -> [Failure] {
        guard let value = fields["failed"] else { return [] }
        guard case .array(let elements) = value.content else {
            throw fields.error("failed", "expected a list of checks, found \(value.kindName)")
        }
        var failures: [Failure] = []
        for (index, element) in elements.enumerated() {
            failures.append(try Failure(element, path: "\(fields.path(of: "failed"))[\(index)]"))
        }
        return failures
    }
}

extension EvidenceRecord.Expectation.Failure {
    fileprivate init(_ value: RecordValue, path: String) throws(RecordError) {
        switch value.content {
        case .text(let check):
            self.init(check: check, code: nil)
        case .object(let object):
            let fields = RecordFields(object, path: path)
            try fields.requireOnly(["check", "code"])
            guard let check = try fields.text("check") else { throw fields.missing("check") }
            guard let code = try fields.text("code") else { throw fields.missing("code") }
            self.init(check: check, code: code)
        default:
            throw RecordError(
                field: path, offset: value.offset,
                "expected the name of a check, or an object with check and code, found \(value.kindName)")
        }
    }
}

extension RecordFields {
    /// The device token, which Apple documents as two to three kilobytes.
    fileprivate func deviceToken() throws(RecordError) -> String? {
        guard let text = try text("deviceToken", atMost: InputLimits.deviceToken) else { return nil }
        guard try optionalBytes("deviceToken")?.isEmpty == false else {
            throw error("deviceToken", "expected a token, found an empty one")
        }
        return text
    }

    private func flag(_ name: String) throws(RecordError) -> Bool {
        guard let value = self[name] else { throw missing(name) }
        guard case .flag(let flag) = value.content else {
            throw error(name, "expected a boolean, found \(value.kindName)")
        }
        return flag
    }

    fileprivate func deviceBits() throws(RecordError) -> DeviceBits? {
        guard let value = self["deviceBits"] else { return nil }
        let fields = try RecordFields(value, path: "deviceBits")
        try fields.requireOnly(["bit0", "bit1", "changedIn"])
        let bits = DeviceBits(
            first: try fields.flag("bit0"), second: try fields.flag("bit1"),
            changedIn: try fields.text("changedIn", atMost: 7))
        guard bits.changedIn == nil || bits.monthOfChange != nil else {
            throw fields.error("changedIn", "expected a month such as 2026-04")
        }
        return bits
    }

    fileprivate func time(_ name: String) throws(RecordError) -> Date? {
        guard let text = try text(name) else { return nil }
        guard let time = RFC3339.parse(text) else {
            throw error(name, "expected an RFC 3339 time such as 2026-04-21T18:13:12Z, found \"\(text.excerpt)\"")
        }
        return time
    }
}
