package import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

extension AppAttestConfiguration: ReadableConfiguration {
    /// Reads the field `appAttest` of an app in a policy file.
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        let fields = try node.members(of: Self.fields)
        func required(_ field: String, _ allowed: String) throws(PolicyError) -> PolicyNode {
            guard let value = fields[field] else { throw node.missing(field, allowed) }
            return value
        }
        var appIDs: [String] = []
        for element in try required("appIDs", "a list of App IDs, such as 1234567890.com.example.shop").elements() {
            let appID = try element.text()
            if let objection = Self.objection(toAppID: appID) { throw element.error(objection) }
            guard !appIDs.contains(appID) else { throw element.error("\(appID) is in the list twice") }
            appIDs.append(appID)
        }
        let environments = try Self.words(
            of: required("environments", "a list of production, development"), AttestEnvironment.self)
        let challenge = try required("challenge", "allowed are ledger, caller").word(ChallengeSource.self)
        let clientData = try Self.binding(
            required("clientData", "allowed are raw, none, { challengeAt: JSON POINTER }"))
        if challenge == .ledger, case .none = clientData {
            throw try required("clientData", "").error(
                "none and challenge: ledger exclude each other: no assertion would consume a challenge; say where the client "
                    + "data has it, raw or { challengeAt: JSON POINTER }, or set challenge: caller")
        }

        var roots: [Certificate] = []
        for element in try fields["testRoots"]?.elements() ?? [] {
            roots += try Self.certificates(in: element, files: files)
        }
        do {
            try self.init(
                appIDs: appIDs, environments: environments, challenge: challenge, clientData: clientData,
                counter: Self.counterRule(fields["counter"]),
                reattestation: fields["reattestation"]?.word(Reattestation.self),
                account: fields["account"]?.word(AccountBinding.self) ?? .match,
                maximumKeys: Self.keyLimit(fields["maximumKeys"], fields["keysExceeded"]),
                minimumOSVersion: Self.minimumOSVersion(fields["minimumOSVersion"]),
                versions: VersionRules(
                    reading: fields["versions"], minimum: fields["minimumBundleVersion"],
                    Self.demandedVersion),
                validationCategories: Self.categories(fields["validationCategories"]),
                receipt: Self.receiptRules(fields["receipt"]),
                requests: fields[RequestRules.policyField].map(RequestRules.init), testRoots: roots)
        } catch {
            throw error.placed(in: node)
        }
    }

    private static func words<Word: CaseIterable & RawRepresentable<String> & Equatable>(
        of node: PolicyNode, _ type: Word.Type
    ) throws(PolicyError) -> [Word] {
        var words: [Word] = []
        for element in try node.elements() {
            let word = try element.word(type)
            guard !words.contains(word) else { throw element.error("\(word.rawValue) is in the list twice") }
            words.append(word)
        }
        return words
    }

    private static func categories(_ node: PolicyNode?) throws(PolicyError) -> [ValidationCategory]? {
        guard let node else { return nil }
        return try words(of: node, ValidationCategory.self)
    }

    private static func version(_ node: PolicyNode?) throws(PolicyError) -> DottedVersion? {
        guard let node else { return nil }
        return try demandedVersion(node)
    }

    private static func demandedVersion(_ node: PolicyNode) throws(PolicyError) -> DottedVersion {
        guard let version = try DottedVersion(node.text()) else {
            throw node.error("expected a version of numbers and periods, such as \"16.0\", found \(node.found)")
        }
        return version
    }

    private static func minimumOSVersion(_ node: PolicyNode?) throws(PolicyError) -> MinimumOSVersion? {
        guard let node else { return nil }
        guard case .mapping = node.content else { return try version(node).map { MinimumOSVersion($0) } }
        var versions: [ApplePlatform: DottedVersion] = [:]
        for (name, value) in try node.members(of: Self.fields, in: "minimumOSVersion") {
            guard let platform = ApplePlatform(rawValue: name) else { continue }
            versions[platform] = try version(value)
        }
        guard !versions.isEmpty else {
            throw node.error("expected a version, or one by platform, found an empty mapping")
        }
        return MinimumOSVersion(versions)
    }

    private static func binding(_ node: PolicyNode) throws(PolicyError) -> ClientDataBinding {
        if case .mapping = node.content {
            guard let pointer = try node.members(of: Self.fields, in: "clientData")["challengeAt"] else {
                throw node.missing("challengeAt", "a JSON pointer, such as /challenge")
            }
            let text = try pointer.text()
            do {
                return .challengeAt(try JSONPointer(text))
            } catch {
                throw pointer.error("expected a JSON pointer (RFC 6901), such as /challenge: \(error.message)")
            }
        }
        switch try node.text() {
        case "raw": return .raw
        case "none": return .none
        default: throw node.error("expected raw, none or { challengeAt: JSON POINTER }, found \(node.found)")
        }
    }

    private static func counterRule(_ node: PolicyNode?) throws(PolicyError) -> CounterAdvance.Rule {
        guard let node else { return .increasing }
        let text = try node.text()
        if let rule = CounterAdvance.Rule(text) { return rule }
        throw node.error(
            "expected increasing, successor or window(N) with N from 1 to \(CounterState.maximumWindow), found \(node.found)"
                + Nearest.advice(for: text, among: ["increasing", "successor", "window(64)"]))
    }

    private static func keyLimit(
        _ maximum: PolicyNode?, _ excess: PolicyNode?
    ) throws(PolicyError) -> AccountKeyLimit? {
        guard let maximum else {
            if let excess { throw excess.error("keysExceeded is for a policy with maximumKeys, which is missing") }
            return nil
        }
        guard let number = try Int(maximum.text()), (1...1000).contains(number) else {
            throw maximum.error("expected a whole number from 1 to 1000, found \(maximum.found)")
        }
        return AccountKeyLimit(maximum: number, excess: try excess?.word(AccountKeyLimit.Excess.self) ?? .note)
    }

    private static func receiptRules(_ node: PolicyNode?) throws(PolicyError) -> ReceiptRules {
        guard let node else { return ReceiptRules() }
        let fields = try node.members(of: Self.fields, in: "receipt")
        var metric: Int?
        if let field = fields["maximumRiskMetric"] {
            guard let value = try Int(field.text()), value >= 0 else {
                throw field.error("expected a whole number from 0 on, found \(field.found)")
            }
            metric = value
        }
        let age = try fields["maximumAge"]?.duration() ?? ReceiptRules().maximumAge
        if age > ReceiptRules.longestAge, let field = fields["maximumAge"] {
            throw field.error("expected at most ten years, found \(field.found)")
        }
        let metricAge = try fields["maximumRiskMetricAge"]?.duration()
        if let metricAge, let field = fields["maximumRiskMetricAge"] {
            guard metric != nil else {
                throw field.error("maximumRiskMetricAge is for a policy with maximumRiskMetric, which is missing")
            }
            guard metricAge <= ReceiptRules.longestAge else {
                throw field.error("expected at most ten years, found \(field.found)")
            }
        }
        return ReceiptRules(
            maximumAge: age, maximumRiskMetric: metric, maximumRiskMetricAge: metricAge,
            keep: try fields["keep"]?.word(ReceiptKeeping.self))
    }

    private static func certificates(
        in node: PolicyNode, files: any PolicyFiles
    ) throws(PolicyError) -> [Certificate] {
        let contents = try files.contents(of: node)
        do {
            return try PEM.certificates(in: contents)
        } catch {
            throw node.error("expected a file of PEM certificates: \(error.detail)")
        }
    }
}

extension CounterAdvance.Rule {
    /// Reads `increasing`, `successor` or `window(N)`; nil for another text.
    init?(_ text: String) {
        switch text {
        case "increasing": self = .increasing
        case "successor": self = .successor
        default:
            let number = text.dropFirst("window(".count).dropLast()
            guard text.isByteEqual(to: "window(\(number))"), let size = Int(number),
                "\(size)".isByteEqual(to: String(number)),
                (1...CounterState.maximumWindow).contains(size)
            else { return nil }
            self = .window(size)
        }
    }

    /// The rule as a policy writes it.
    var text: String {
        switch self {
        case .increasing: "increasing"
        case .successor: "successor"
        case .window(let size): "window(\(size))"
        }
    }
}
