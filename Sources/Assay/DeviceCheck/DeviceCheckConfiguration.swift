package import AssayCore

/// How a policy uses the two bits that Apple stores for a device. The field `deviceCheck` of an app.
@dynamicMemberLookup
package final class DeviceCheckConfiguration: EngineConfiguration {
    package static let engine = "device-check"
    package static let policyField = "deviceCheck"

    /// The meaning of the bits.
    package enum Meaning: Sendable, Equatable {
        /// One bit bans the device.
        case ban(Bit)
        /// Both bits count the keys that the device has enrolled, up to 3. A device at the limit enrols no further one.
        case enrolments(limit: Int)
    }

    package enum Bit: String, Sendable, CaseIterable {
        /// The first one.
        case bit0
        /// The second one.
        case bit1
    }

    /// The word for a ``Meaning`` in a policy.
    fileprivate enum BitsRule: String, CaseIterable {
        case bit0, bit1, enrolments
    }

    /// What an outage of Apple's server means.
    package enum OutageRule: String, Sendable, CaseIterable {
        /// There is no verdict.
        case outage
        /// The verdict is annotated, and does without the bits.
        case annotate
    }

    /// Whether a block in the ledger bans the device, too.
    package enum BlockRule: String, Sendable, CaseIterable {
        /// Blocks do not change the bits.
        case none
        /// The next device token of a blocked key or account sets the bit.
        case ban
    }

    package struct Values: Sendable {
        /// The App ID, which begins with the team ID.
        package var appID = ""
        /// Where the app's builds come from.
        package var environment = AttestEnvironment.production
        /// The meaning of the bits.
        package var meaning = Meaning.ban(.bit0)
        /// After how many months without a change the bits count as not set; nil for never.
        package var months: Int?
        /// The kinds of evidence that must come with a device token.
        package var required: [EvidenceKind] = []
        /// Whether blocks ban devices.
        package var blocks = BlockRule.none
        /// What an outage means.
        package var outage = OutageRule.outage
    }

    package let values: Values

    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    /// The kinds of evidence that must come with a device token.
    package var required: [EvidenceKind] { values.required }

    init(_ values: Values) { self.values = values }

    package convenience init(appID: String, meaning: Meaning, _ others: (inout Values) -> Void = { _ in }) {
        var values = Values()
        values.appID = appID
        values.meaning = meaning
        others(&values)
        self.init(values)
    }
}

extension DeviceCheckConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        self.init(values)
    }

    package static let table: [SectionField<Values>] = [
        .field(
            "appID", \.appID, .text(objection(toAppID:)),
            "The App ID: the team ID of 10 characters, a dot, the bundle ID.",
            required: "an App ID, such as ABCDE12345.com.example.shop"
        ).example("ABCDE12345.com.example.shop"),
        .field("environment", \.environment, .word, "Where the app's builds come from."),
        .field(
            "bits", \.meaning.bits, .word,
            "What the bits mean: bit0 or bit1 bans the device for good, or both count the keys that it enrols.",
            required: "bit0 or bit1, which bans a device, or enrolments, which both count"
        ).example("bit0"),
        .field(
            "limit", \.meaning.limit, .number(1...3, "1 to 3"),
            "With bits: enrolments, how many keys a device may enrol, 1 to 3; 3 without it."
        ).allowed(if: { $0.meaning.limit != nil }, "limit is for bits: enrolments"),
        SectionField(
            "months", .text, "After how many months without a change the bits count as not set; never without it."
        ) {
            [PolicySetting("months", $0.months.map { "\($0)" } ?? "never")]
        } read: { (values, node, files) throws(PolicyError) in
            values.months =
                try node.text().isByteEqual(to: "never")
                ? nil : FieldForm<Int>.number(1...120, "1 to 120").read(node, files)
        },
        .field(
            "required", \.required, kinds, "The kinds of evidence that must come with a device token; none without it."
        )
        .weak(if: { $0.required.isEmpty }, "empty: a banned device can avoid this check by sending no device token"),
        .field(
            "blocks", \.blocks, .word, "Whether the device of a blocked key or account is banned, too."
        ).objection {
            $0.blocks == .ban && $0.meaning.limit != nil
                ? "blocks: ban needs bits: bit0 or bit1, as both bits count enrolments" : nil
        },
        .field(
            "outage", \.outage, .word,
            "What an outage of Apple's server causes: no verdict, or a verdict without the bits."
        ).weak(
            if: { $0.outage == .annotate }, "annotate: banned devices are accepted while Apple's server does not answer"
        ),
    ]

    private static func objection(toAppID text: String) -> String? {
        let team = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        let isAppID =
            team.count == 10 && text.utf8.count > 11 && text.utf8.count <= 255
            && team.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return isAppID
            ? nil : "expected a team ID of 10 capitals and digits, a dot and a bundle ID, found \"\(text.excerpt)\""
    }

    private static let kinds = FieldForm<[EvidenceKind]>(.list(.text)) { kinds in
        kinds.isEmpty ? nil : .sequence(kinds.map { .written(.scalar($0.name)) })
    } read: { (node, _) throws(PolicyError) in
        let known = EngineRegistry.standard.kinds
        return try node.elements().map { (element) throws(PolicyError) in
            let name = try element.text()
            guard let kind = known.first(where: { $0.name.isByteEqual(to: name) }) else {
                throw element.mismatch(with: known.map(\.name))
            }
            return kind
        }
    }
}

extension DeviceCheckConfiguration.Meaning {
    /// The word of a policy.
    fileprivate var bits: DeviceCheckConfiguration.BitsRule {
        get {
            switch self {
            case .ban(.bit0): .bit0
            case .ban(.bit1): .bit1
            case .enrolments: .enrolments
            }
        }
        set {
            switch newValue {
            case .bit0: self = .ban(.bit0)
            case .bit1: self = .ban(.bit1)
            case .enrolments: self = .enrolments(limit: 3)
            }
        }
    }

    /// How many keys a device may enrol; nil if the bits ban.
    fileprivate var limit: Int? {
        get { if case .enrolments(let limit) = self { limit } else { nil } }
        set { if let newValue { self = .enrolments(limit: newValue) } }
    }
}
