package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension PlayIntegrityConfiguration: ReadableConfiguration {
    /// Reads the field `playIntegrity` of an app in a policy file.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        guard let packageName = fields["packageName"] else {
            throw node.missing("packageName", "such as com.example.shop")
        }
        let name = try packageName.text()
        if let objection = PackageName.objection(to: name) { throw packageName.error(objection) }
        let platform = try fields["platform"]?.word(IntegrityTokenForm.self) ?? .android
        var rules: AndroidRules?
        switch platform {
        case .android: rules = try Self.androidRules(fields, in: node)
        case .pc:
            // Classic tokens, with their keys and nonces, exist on Android only.
            for field in ["keys", "challenge", "classicTokens"] + Self.androidFields.map(\.path) {
                if let value = fields[field] {
                    throw value.error("platform pc has no \(field): tokens of games on PC say nothing of it")
                }
            }
        }
        do {
            try self.init(
                packageName: name, android: rules, keys: Self.names(fields["keys"]),
                challenge: fields["challenge"]?.word(ChallengeSource.self) ?? .ledger,
                classicTokens: fields["classicTokens"]?.word(TokenOpener.self),
                answers: fields["answers"]?.word(AnswerSource.self),
                freshness: Self.freshness(fields["freshness"]),
                licensing: fields["licensing"]?.labels(of: .licensing) ?? [.licensed],
                requests: fields[RequestRules.policyField].map(RequestRules.init))
        } catch {
            throw error.placed(in: node)
        }
    }

    private static func androidRules(
        _ fields: [String: PolicyNode], in node: PolicyNode
    ) throws(PolicyError) -> AndroidRules {
        guard let digests = fields["certificateDigests"] else {
            throw node.missing(
                "certificateDigests", "a list of the SHA-256 digests of the app's signing certificates")
        }
        return AndroidRules(
            certificateDigests: try certificateDigests(digests),
            versions: try VersionRules(
                reading: fields["versions"], minimum: fields["minimumVersionCode"]
            ) { (node) throws(PolicyError) in try node.wholeNumber() },
            appRecognition: try fields["appRecognition"]?.labels(of: .appRecognition)
                ?? AndroidRules.Defaults.appRecognition,
            deviceRecognition: try deviceRules(fields["deviceRecognition"]),
            minimumSDKVersion: try fields["minimumSDKVersion"]?.wholeNumber(),
            maximumDeviceActivity: try fields["maximumDeviceActivity"]?.label(of: IntegrityLabel.activityLevels),
            rejectedRecallBits: try recallBits(fields["deviceRecall"]),
            playProtect: try fields["playProtect"]?.labels(of: .playProtect) ?? AndroidRules.Defaults.playProtect,
            rejectedAccessRisks: try accessRisks(fields["appAccessRisk"]),
            locationSpoofing: try locationRisks(fields["locationSpoofing"]))
    }

    private static func names(_ node: PolicyNode?) throws(PolicyError) -> [String]? {
        guard let node else { return nil }
        var names: [String] = []
        for element in try node.elements() {
            let name = try element.text()
            guard !names.containsBytes(of: name) else {
                throw element.error("the key \(name.excerpt) is in the list twice")
            }
            names.append(name)
        }
        return names
    }

    private static func freshness(_ node: PolicyNode?) throws(PolicyError) -> Freshness {
        guard let node else { return Freshness() }
        let fields = try node.members(of: Self.fields, in: "freshness")
        func seconds(_ field: String, _ standard: Double) throws(PolicyError) -> Double {
            guard let value = fields[field] else { return standard }
            let seconds = try value.duration()
            guard seconds <= longestWindow else {
                throw value.error("expected at most ten years, found \(value.found)")
            }
            return seconds
        }
        return Freshness(past: try seconds("past", Freshness().past), future: try seconds("future", Freshness().future))
    }

    private static func certificateDigests(_ node: PolicyNode) throws(PolicyError) -> [[UInt8]] {
        var digests: [[UInt8]] = []
        for element in try node.elements() {
            let digest: [UInt8]
            let text = try element.text()
            do {
                digest = try CertificateDigestText.decode(text)
            } catch {
                throw element.error(error.message)
            }
            guard !digests.contains(digest) else { throw element.error("the digest is in the list twice") }
            digests.append(digest)
        }
        return digests
    }

    private static func deviceRules(_ node: PolicyNode?) throws(PolicyError) -> [DeviceRule]? {
        guard let node else { return nil }
        var rules: [DeviceRule] = []
        for element in try node.elements() {
            let fields = try element.members(["minimumSDK", "require"])
            guard let minimum = fields["minimumSDK"] else { throw element.missing("minimumSDK", "such as 33") }
            guard let require = fields["require"] else {
                throw element.missing("require", "such as MEETS_DEVICE_INTEGRITY")
            }
            let rule = DeviceRule(
                minimumSDK: try minimum.wholeNumber(),
                require: try require.label(of: [.basic, .device, .strong, .virtual]))
            guard !rules.contains(where: { $0.minimumSDK == rule.minimumSDK }) else {
                throw minimum.error("two rules begin at SDK \(rule.minimumSDK)")
            }
            rules.append(rule)
        }
        return rules
    }

    private static func recallBits(_ node: PolicyNode?) throws(PolicyError) -> [DeviceRecallBit] {
        guard let list = try node?.only("reject") else { return [] }
        var bits: [DeviceRecallBit] = []
        for element in try list.elements() {
            let bit = try element.word(DeviceRecallBit.self)
            guard !bits.contains(bit) else { throw element.error("\(bit.rawValue) is in the list twice") }
            bits.append(bit)
        }
        return bits
    }

    private static func accessRisks(_ node: PolicyNode?) throws(PolicyError) -> [IntegrityLabel] {
        try node?.only("reject").labels(of: .accessRisk) ?? AndroidRules.Defaults.rejectedAccessRisks
    }

    /// Accepts all labels of the right form: Google does not publish them.
    private static func locationRisks(_ node: PolicyNode?) throws(PolicyError) -> [IntegrityLabel] {
        guard let list = try node?.only("allow") else { return AndroidRules.Defaults.locationSpoofing }
        var labels: [IntegrityLabel] = []
        for element in try list.elements() {
            let text = try element.text()
            guard text.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
            else {
                throw element.error("expected a label such as LOW_RISK_DEVICE, found \(element.found)")
            }
            let label = IntegrityLabel(text)
            guard !labels.contains(label) else { throw element.error("\(text.excerpt) is in the list twice") }
            labels.append(label)
        }
        return labels
    }
}

extension PolicyNode {
    /// The only member of a mapping.
    fileprivate func only(_ field: String) throws(PolicyError) -> PolicyNode {
        guard let value = try members([field])[field] else { throw missing(field, "a list of labels") }
        return value
    }

    /// A documented label.
    fileprivate func label(of allowed: [IntegrityLabel]) throws(PolicyError) -> IntegrityLabel {
        let label = IntegrityLabel(try text())
        guard allowed.contains(label) else { throw mismatch(with: allowed.map(\.name)) }
        return label
    }

    /// A list of unique documented labels.
    fileprivate func labels(of field: LabelField) throws(PolicyError) -> [IntegrityLabel] {
        var labels: [IntegrityLabel] = []
        for element in try elements() {
            let label = try element.label(of: field.labels)
            guard !labels.contains(label) else { throw element.error("\(label.name) is in the list twice") }
            labels.append(label)
        }
        return labels
    }

    /// A whole number from 0, in decimal digits.
    fileprivate func wholeNumber<Number: FixedWidthInteger>() throws(PolicyError) -> Number {
        let text = try text()
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Number(text) else {
            throw error("expected a whole number from 0 to \(Number.max), found \(found)")
        }
        return number
    }
}
