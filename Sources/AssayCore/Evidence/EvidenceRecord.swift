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
    /// When the evidence was received: the time of judgement when the record is verified as captured.
    public package(set) var receivedAt: Date?
    /// The fields of the evidence, which depend on the kind.
    package var evidence: RecordObject
    /// The expectation of a test vector.
    package var expect: Expectation?

    /// Composes a record.
    package init(
        id: String?, kind: EvidenceKind, app: String?, account: String? = nil, deviceToken: String? = nil,
        deviceBits: DeviceBits? = nil, receivedAt: Date?, evidence: RecordObject, expect: Expectation?
    ) {
        self.id = id
        self.kind = kind
        self.app = app
        self.account = account
        self.deviceToken = deviceToken
        self.deviceBits = deviceBits
        self.receivedAt = receivedAt
        self.evidence = evidence
        self.expect = expect
    }
}

/// A JSON value of a record, with the byte at which it begins, for errors.
// The initialisers are inlinable: a JSON reader in another module creates one for each value.
@usableFromInline
package struct RecordValue: Sendable {
    /// A JSON value.
    @usableFromInline
    package enum Content: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case flag(Bool)
        /// A number as written, not interpreted.
        case number(String)
        /// A string, unescaped.
        case text(String)
        /// An array.
        case array([RecordValue])
        /// An object; its keys are unique.
        case object(RecordObject)
    }

    /// The value.
    @usableFromInline package let content: Content
    /// The byte of the document at which the value begins.
    @usableFromInline package let offset: Int
    /// Whether a string was written with escapes: offsets inside it then differ from those of the document.
    @usableFromInline package let hasEscapes: Bool

    /// Places a value.
    @inlinable
    package init(_ content: Content, offset: Int) {
        self.init(content, offset: offset, hasEscapes: false)
    }

    /// Places a value that may be a string with escapes.
    @inlinable
    package init(_ content: Content, offset: Int, hasEscapes: Bool) {
        self.content = content
        self.offset = offset
        self.hasEscapes = hasEscapes
    }

    /// Whether the value is `null`.
    package var isNull: Bool { if case .null = content { true } else { false } }

    /// The type of the value in words, for error messages.
    package var kindName: String {
        switch content {
        case .null: "null"
        case .flag: "a boolean"
        case .number: "a number"
        case .text: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A JSON object of a record: unique keys, in the order written.
@usableFromInline
package struct RecordObject: Sendable {
    /// One member of an object.
    @usableFromInline
    package struct Member: Sendable {
        /// The key, unescaped.
        @usableFromInline package let name: String
        /// The byte of the document at which the key begins.
        @usableFromInline package let offset: Int
        /// The value.
        @usableFromInline package let value: RecordValue

        /// Places a member.
        @inlinable
        package init(name: String, offset: Int, value: RecordValue) {
            self.name = name
            self.offset = offset
            self.value = value
        }
    }

    /// The members in the order written; their names are unique.
    @usableFromInline package let members: [Member]
    /// The byte of the document at which the object begins.
    @usableFromInline package let offset: Int

    /// Places an object.
    @inlinable
    package init(_ members: [Member], offset: Int) {
        self.members = members
        self.offset = offset
    }

    /// The object without the members that are `null`.
    package var withoutNulls: RecordObject {
        members.contains { $0.value.isNull }
            ? RecordObject(members.filter { !$0.value.isNull }, offset: offset) : self
    }

    /// The value of a member; nil if there is none.
    package subscript(name: String) -> RecordValue? {
        // By index: `first` copies each member.
        for index in members.indices where members[index].name.isByteEqual(to: name) { return members[index].value }
        return nil
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
        self.field = field
        self.offset = offset
        self.message = message
    }

    /// Field, byte and sentence.
    public var description: String {
        field.isEmpty ? "byte \(offset): \(message)" : "byte \(offset), field \(field): \(message)"
    }
}
