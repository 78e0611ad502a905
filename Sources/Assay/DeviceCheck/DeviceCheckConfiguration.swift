package import AppAttest
package import AssayCore

/// How a policy uses the two bits that Apple stores for a device. The field `deviceCheck` of an app.
package final class DeviceCheckConfiguration: EngineConfiguration {
    /// The name of the engine in checks.
    package static let engine = "device-check"
    /// The field of an app.
    package static let policyField = "deviceCheck"

    /// The meaning of the bits.
    package enum Meaning: Sendable, Equatable {
        /// One bit bans the device.
        case ban(Bit)
        /// Both bits count the keys that the device has enrolled, up to 3. A device at the limit enrols no further one.
        case enrolments(limit: Int)
    }

    /// A bit.
    package enum Bit: String, Sendable, CaseIterable {
        /// The first one.
        case bit0
        /// The second one.
        case bit1
    }

    /// The word for a ``Meaning`` in a policy.
    private enum BitsRule: String, CaseIterable {
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

    /// The App ID, which begins with the team ID.
    package let appID: String
    /// Where the app's builds come from.
    package let environment: AttestEnvironment
    /// The meaning of the bits.
    package let meaning: Meaning
    /// After how many months without a change the bits count as not set; nil for never.
    package let months: Int?
    /// The kinds of evidence that must come with a device token.
    package let required: [EvidenceKind]
    /// Whether blocks ban devices.
    package let blocks: BlockRule
    /// What an outage means.
    package let outage: OutageRule

    /// States the rules.
    package init(
        appID: String, environment: AttestEnvironment = .production, meaning: Meaning, months: Int? = nil,
        required: [EvidenceKind] = [], blocks: BlockRule = .none, outage: OutageRule = .outage
    ) {
        self.appID = appID
        self.environment = environment
        self.meaning = meaning
        self.months = months
        self.required = required
        self.blocks = blocks
        self.outage = outage
    }
}

extension DeviceCheckConfiguration: ReadableConfiguration {
    /// The fields of the section.
    package static let fields = [
        PolicyField(
            "appID", .text, isRequired: true, "The App ID: the team ID of 10 characters, a dot, the bundle ID."),
        PolicyField("environment", .words(AttestEnvironment.self), "Where the app's builds come from."),
        PolicyField(
            "bits", .words(BitsRule.self), isRequired: true,
            "What the bits mean: bit0 or bit1 bans the device for good, or both count the keys that it enrols."),
        PolicyField("limit", .text, "With bits: enrolments, how many keys a device may enrol, 1 to 3; 3 without it."),
        PolicyField(
            "months", .text, "After how many months without a change the bits count as not set; never without it."),
        PolicyField(
            "required", .list(.text), "The kinds of evidence that must come with a device token; none without it."),
        PolicyField("blocks", .words(BlockRule.self), "Whether the device of a blocked key or account is banned, too."),
        PolicyField(
            "outage", .words(OutageRule.self),
            "What an outage of Apple's server causes: no verdict, or a verdict without the bits."),
    ]

    /// Valid values of the required fields.
    package static var examples: [PolicySetting] {
        [PolicySetting("appID", "ABCDE12345.com.example.shop"), PolicySetting("bits", "bit0")]
    }

    /// Reads the field `deviceCheck` of an app.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        guard let appID = fields["appID"] else {
            throw node.missing("appID", "an App ID, such as ABCDE12345.com.example.shop")
        }
        guard let bits = fields["bits"] else {
            throw node.missing("bits", "bit0 or bit1, which bans a device, or enrolments, which both count")
        }
        let meaning: Meaning
        switch try bits.word(BitsRule.self) {
        case .bit0: meaning = .ban(.bit0)
        case .bit1: meaning = .ban(.bit1)
        case .enrolments:
            meaning = .enrolments(
                limit: try fields["limit"].map { (node) throws(PolicyError) in try Self.number(node, 1...3) } ?? 3)
        }
        if case .ban = meaning, let limit = fields["limit"] { throw limit.error("limit is for bits: enrolments") }
        let blocks = try fields["blocks"]?.word(BlockRule.self) ?? .none
        if blocks == .ban, case .enrolments = meaning {
            throw (fields["blocks"] ?? node).error(
                "blocks: ban needs bits: bit0 or bit1, as both bits count enrolments")
        }
        self.init(
            appID: try Self.appID(appID),
            environment: try fields["environment"]?.word(AttestEnvironment.self) ?? .production, meaning: meaning,
            months: try fields["months"].flatMap { (node) throws(PolicyError) in
                try node.text().isByteEqual(to: "never") ? nil : Self.number(node, 1...120)
            },
            required: try fields["required"].map(Self.kinds) ?? [], blocks: blocks,
            outage: try fields["outage"]?.word(OutageRule.self) ?? .outage)
    }

    private static func number(_ node: PolicyNode, _ range: ClosedRange<Int>) throws(PolicyError) -> Int {
        guard let number = Int(try node.text()), range.contains(number) else {
            throw node.error("expected \(range.lowerBound) to \(range.upperBound), found \(node.found)")
        }
        return number
    }

    private static func appID(_ node: PolicyNode) throws(PolicyError) -> String {
        let text = try node.text()
        let team = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard team.count == 10, text.utf8.count > 11, text.utf8.count <= 255,
            team.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else {
            throw node.error("expected a team ID of 10 capitals and digits, a dot and a bundle ID, found \(node.found)")
        }
        return text
    }

    private static func kinds(_ node: PolicyNode) throws(PolicyError) -> [EvidenceKind] {
        let known = EngineRegistry.standard.kinds
        return try node.elements().map { (element) throws(PolicyError) in
            let name = try element.text()
            guard let kind = known.first(where: { $0.name.isByteEqual(to: name) }) else {
                throw element.mismatch(with: known.map(\.name))
            }
            return kind
        }
    }

    /// The weak settings.
    package var remarks: [PolicyRemark] {
        var remarks: [PolicyRemark] = []
        if required.isEmpty {
            remarks.append(
                PolicyRemark("required", "empty: a banned device can avoid this check by sending no device token"))
        }
        if outage == .annotate {
            remarks.append(
                PolicyRemark("outage", "annotate: banned devices are accepted while Apple's server does not answer"))
        }
        return remarks
    }

    /// The settings in force.
    package var settings: [PolicySetting] {
        let (bits, limit): (BitsRule, Int?) =
            switch meaning {
            case .ban(.bit0): (.bit0, nil)
            case .ban(.bit1): (.bit1, nil)
            case .enrolments(let limit): (.enrolments, limit)
            }
        return [
            PolicySetting("appID", appID), PolicySetting("environment", environment.rawValue),
            PolicySetting("bits", bits.rawValue), PolicySetting("limit", limit.map { "\($0)" }),
            PolicySetting("months", months.map { "\($0)" } ?? "never"),
            PolicySetting("required", required.map(\.name)), PolicySetting("blocks", blocks.rawValue),
            PolicySetting("outage", outage.rawValue),
        ]
    }
}
