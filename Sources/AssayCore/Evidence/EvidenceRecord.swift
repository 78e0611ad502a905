package import AssayPrimitives
public import FoundationEssentials

/// A piece of evidence with everything needed to judge it. The CLI, captures and test vectors store it as JSON.
public struct EvidenceRecord: Sendable {
    /// The verdict that a test vector expects.
    public struct Expectation: Sendable, Equatable {
        /// A check that is expected to fail.
        public struct Failure: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
            /// The name of the check, or `*` for any check.
            public let check: String
            /// The failure code; nil for any code.
            public let code: String?

            /// Names a check and its failure code.
            public init(check: String, code: String?) {
                self.check = check
                self.code = code
            }

            /// Names a check that may fail with any code.
            public init(stringLiteral check: String) { self.init(check: check, code: nil) }

            /// The name of the check, and the code in parentheses.
            public var description: String { code.map { "\(check) (\($0))" } ?? check }

            fileprivate func isMet(by result: CheckResult) -> Bool {
                guard check.isByteEqual(to: "*") || check.isByteEqual(to: result.check.name) else { return false }
                return code.map { result.finding?.code.isByteEqual(to: $0) ?? false } ?? true
            }
        }

        /// Whether the evidence is to be accepted.
        public let outcome: Verdict.Outcome
        /// The failed checks in order. A vector may name only the first one.
        public let failed: [Failure]

        /// States an expectation.
        public init(outcome: Verdict.Outcome, failed: [Failure]) {
            self.outcome = outcome
            self.failed = failed
        }

        /// Whether a verdict is the expected one. An empty list allows any failed checks, a list of one names the first
        /// failed check, and a longer list names all of them in order. Codes in the list must match.
        package func isMet(by verdict: Verdict) -> Bool {
            guard outcome == verdict.outcome else { return false }
            guard let first = failed.first else { return true }
            let found = verdict.checks.filter { $0.status == .failed }
            guard failed.count > 1 else { return found.first.map(first.isMet) ?? (first == "*") }
            return failed.count == found.count && zip(failed, found).allSatisfy { $0.isMet(by: $1) }
        }

        /// The outcome and the failed checks, for messages.
        package var words: String { ([outcome.rawValue] + failed.map(\.description)).joined(separator: " ") }
    }

    /// The record's name in verdicts and errors.
    public let id: String?
    /// The kind of evidence.
    public let kind: EvidenceKind
    /// The policy's app; nil to select the app by the identifiers in the evidence.
    public package(set) var app: String?
    /// The account of the backend whose session sent the evidence, of 1 to 255 bytes; nil if the backend names none.
    public package(set) var account: String?
    /// A device token of DeviceCheck that accompanies the evidence: the result of `DCDevice.generateToken` in standard base64; nil
    /// for none.
    public package(set) var deviceToken: String?
    /// What Apple said to the device token when the evidence was captured; nil if Apple was not asked. Only replays use it.
    public package(set) var deviceBits: DeviceBits?
    /// A text by which the app describes itself, of 1 to 128 printable ASCII characters; nil for none. It influences no verdict.
    package var property: String?
    /// When the evidence was received: the time of judgement when the record is verified as captured.
    public package(set) var receivedAt: Date?
    /// The fields of the evidence, which depend on the kind.
    package var evidence: RecordObject
    /// The paths of fields that were removed or replaced by digests, such as `account` and `evidence.token`; `evidence.*` for fields
    /// that the kind does not have.
    package var redacted: [String] = []
    /// The expectation of a test vector.
    package var expect: Expectation?

    package init(
        id: String?, kind: EvidenceKind, app: String?, account: String? = nil, deviceToken: String? = nil,
        deviceBits: DeviceBits? = nil, receivedAt: Date?, evidence: RecordObject, expect: Expectation?
    ) {
        (self.id, self.kind, self.app) = (id, kind, app)
        (self.account, self.deviceToken, self.deviceBits) = (account, deviceToken, deviceBits)
        (self.receivedAt, self.evidence, self.expect) = (receivedAt, evidence, expect)
    }

    /// The record as received at a time: what it says of its own reception, expectation and redaction, and of Apple's bits, does not count.
    package func received(at now: Date) -> EvidenceRecord {
        var record = self
        (record.receivedAt, record.expect, record.redacted, record.deviceBits) = (now, nil, [], nil)
        return record
    }
}

/// A record that cannot be read: the field, the byte, what was found and what is allowed.
public struct RecordError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the field, such as `evidence.keyId`, or empty for the record itself.
    public let field: String
    /// The byte of the document.
    package let offset: Int
    /// What was found, and what is allowed.
    public let message: String

    /// Describes why a record cannot be read.
    package init(field: String, offset: Int, _ message: String) {
        (self.field, self.offset, self.message) = (field, offset, message)
    }

    /// Field, byte and sentence.
    public var description: String {
        field.isEmpty ? "byte \(offset): \(message)" : "byte \(offset), field \(field): \(message)"
    }
}
