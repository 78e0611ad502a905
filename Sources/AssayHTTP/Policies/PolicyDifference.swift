import Assay
package import AssayCore

/// What a new policy changes: apps, their evidence, rules and routes, and the modes of checks.
///
/// It compares policies in the form of ``PolicyFile/effectiveText(path:engines:)``, which has all defaults, so that a rule that a
/// file no longer has is seen. The contents of files that a policy names, and of its keys, are not compared.
package struct PolicyDifference: Sendable {
    package struct Change: Sendable, Equatable, CustomStringConvertible {
        package enum Subject: String, Sendable, CaseIterable {
            case app
            /// The section of an app for a kind of evidence.
            case evidence
            /// The mode of a check; a check that is added or removed did not run before, or does not run any more.
            case check
            /// A field of a section.
            case rule
            case route
        }

        package enum Effect: String, Sendable, CaseIterable {
            case added
            /// It is gone.
            case removed
            /// It accepts less.
            case stricter
            /// It accepts more.
            case weaker
            /// Which of both is not known.
            case changed
        }

        package let subject: Subject
        package let effect: Effect
        /// Its name, such as `shop.appAttest.counter`.
        package let name: String
        /// The values before and after, if both have one.
        package let values: String?
        /// Whether what is added may accept more, or what is removed has accepted more, such as a test authority.
        fileprivate var isPermissive = false
        /// Whether it decides nothing about what is accepted, such as which keys an app has.
        fileprivate var isNeutral = false

        /// Whether evidence may be accepted, or requests let in, that were refused before. True also if that is not known, and for what
        /// is removed; not for an app, a section or a route that is new, but for a section that accepts devices without evidence.
        package var isWeaker: Bool {
            switch effect {
            case _ where isNeutral: false
            case .removed: !isPermissive
            case .added: isPermissive
            case .stricter: false
            case .weaker, .changed: true
            }
        }

        /// Such as `check app-attest.receipt.age removed`.
        package var description: String {
            "\(subject.rawValue) \(name.excerpt) \(effect.rawValue)" + (values.map { " (\($0))" } ?? "")
        }
    }

    /// All changes, sorted.
    package let changes: [Change]

    /// The names of keys that an app lists, and no app listed before.
    package let newKeys: [String]

    /// The changes after which more may be accepted.
    package var weaker: [Change] { changes.filter(\.isWeaker) }

    /// The first changes in words, for logs and errors.
    package static func summary(_ changes: [Change], atMost count: Int = 20) -> String {
        let rest = changes.count - count
        return changes.prefix(count).map(\.description).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }

    /// Compares two policies as ``PolicyFile/effectiveText(path:engines:)`` writes them.
    ///
    /// - Throws: `PolicyError` for a text that is no YAML, unless both are the same.
    package init(from old: String, to new: String) throws(PolicyError) {
        if old.isByteEqual(to: new) {
            (changes, newKeys) = ([], [])
            return
        }
        let (before, after) = (PolicyBlocks(old), PolicyBlocks(new))
        let same = before.apps.intersection(after.apps)
        let (old, new) = (try before.document(without: same), try after.document(without: same))
        var changes: [Change] = []
        func compare(
            _ subject: Change.Subject, _ old: [Name: PolicyNode], _ new: [Name: PolicyNode],
            below prefix: String = "",
            _ both: (String, PolicyNode, PolicyNode) -> Void
        ) {
            func add(_ effect: Change.Effect, _ name: String) {
                // Devices of the app then need no other evidence.
                let isPermissive = subject == .evidence && name.isByteEqual(to: NoEvidenceConfiguration.policyField)
                changes.append(
                    Change(
                        subject: subject, effect: effect, name: prefix + name, values: nil, isPermissive: isPermissive))
            }
            for (name, node) in old {
                if let other = new[name] {
                    both(prefix + name.text, node, other)
                } else {
                    add(.removed, name.text)
                }
            }
            for name in new.keys where old[name] == nil {
                add(.added, name.text)
            }
        }
        compare(.app, Self.named(old, "apps"), Self.named(new, "apps")) { app, old, new in
            compare(.evidence, Self.members(old), Self.members(new), below: "\(app).") { section, old, new in
                changes += Self.rules(of: section, Self.leaves(old), Self.leaves(new))
            }
        }
        compare(.check, Self.members(old.value(at: "checks")), Self.members(new.value(at: "checks"))) {
            guard let old = CheckMode(rawValue: $1.scalar), let new = CheckMode(rawValue: $2.scalar), old != new else {
                return
            }
            let strictness: [CheckMode] = [.off, .annotate, .enforce]
            let isWeaker = strictness.firstIndex(of: new) ?? 0 < strictness.firstIndex(of: old) ?? 0
            changes.append(
                Change(
                    subject: .check, effect: isWeaker ? .weaker : .stricter, name: $0,
                    values: "\(old.rawValue) -> \(new.rawValue)"))
        }
        compare(.route, Self.named(old, "routes"), Self.named(new, "routes")) { route, old, new in
            let (old, new) = (Self.leaves(old), Self.leaves(new))
            guard old != new else { return }
            changes.append(Change(subject: .route, effect: .changed, name: route, values: nil))
        }
        var newKeys = Self.keys(of: new).subtracting(Self.keys(of: old))
        for app in same {
            // Most policies have the new keys of few apps, if any.
            guard !newKeys.isEmpty else { break }
            newKeys.subtract(Self.keys(of: try PolicyBlocks.document(of: app)))
        }
        self.newKeys = newKeys.map(\.text).sorted()
        let order = Change.Subject.allCases
        self.changes = changes.sorted {
            (order.firstIndex(of: $0.subject) ?? 0, $0.name) < (order.firstIndex(of: $1.subject) ?? 0, $1.name)
        }
    }

    /// A name or a value, which differs from another spelling of the same letters, as it does for engines and ledgers.
    private struct Name: Hashable {
        private let bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The elements of a list by their names.
    private static func named(_ root: PolicyNode, _ list: String) -> [Name: PolicyNode] {
        guard case .sequence(let elements)? = root.value(at: list)?.content else { return [:] }
        return Dictionary(elements.map { (Name($0.value(at: "name")?.scalar ?? ""), $0) }) { first, _ in first }
    }

    /// The members of a mapping, but the name of an app.
    private static func members(_ node: PolicyNode?) -> [Name: PolicyNode] {
        guard case .mapping(let entries)? = node?.content else { return [:] }
        return Dictionary(entries.filter { $0.key != "name" }.map { (Name($0.key), $0.value) }) { first, _ in first }
    }

    /// The names of keys in all lists of apps.
    private static func keys(of root: PolicyNode) -> Set<Name> {
        var names: Set<Name> = []
        for section in named(root, "apps").values.flatMap({ members($0).values }) {
            for (path, values) in leaves(section) where PolicySetting.namesKeys(path.text) {
                names.formUnion(values)
            }
        }
        return names
    }

    /// The values of a section by their paths: lists of texts as they are, lists of mappings with an element as a text.
    private static func leaves(_ node: PolicyNode, _ path: String = "") -> [Name: [Name]] {
        switch node.content {
        case .null: return [Name(path): []]
        case .scalar(let text): return [Name(path): [Name(text)]]
        case .sequence(let elements):
            return [
                Name(path): elements.map { element in
                    guard element.scalar.isEmpty else { return Name(element.scalar) }
                    let members = leaves(element).map { "\($0.text): \($1.map(\.text))" }
                    return Name("\(members.sorted())")
                }
            ]
        case .mapping(let entries):
            var all: [Name: [Name]] = [:]
            for entry in entries {
                all.merge(leaves(entry.value, path.isEmpty ? entry.key : "\(path).\(entry.key)")) { $1 }
            }
            return all
        }
    }
}

/// An effective policy, cut into its apps: those that two policies have in common need no comparison.
private struct PolicyBlocks {
    /// The lines of each app.
    private(set) var apps: Set<Substring> = []
    private var otherLines = ""

    init(_ text: String) {
        let text = text.utf8
        var (lineStart, isAmongApps) = (text.startIndex, false)
        var appStart: String.Index?
        func endApp() {
            if let start = appStart.take() { apps.insert(Substring(text[start..<lineStart])) }
        }
        while lineStart < text.endIndex {
            let end = text[lineStart...].firstIndex(of: UInt8(ascii: "\n")).map(text.index(after:)) ?? text.endIndex
            let line = text[lineStart..<end]
            if line.first != UInt8(ascii: " ") {
                endApp()
                isAmongApps = line.elementsEqual("apps:\n".utf8)
                if !isAmongApps { otherLines += Substring(line) }
            } else if !isAmongApps {
                otherLines += Substring(line)
            } else if line.starts(with: "  - ".utf8) || appStart == nil {
                endApp()
                appStart = lineStart
            }
            lineStart = end
        }
        endApp()
    }

    /// The policy without some of its apps.
    func document(without others: Set<Substring>) throws(PolicyError) -> PolicyNode {
        try Self.document(of: apps.subtracting(others).joined() + otherLines)
    }

    /// A policy that begins with the lines of apps.
    static func document(of text: some StringProtocol) throws(PolicyError) -> PolicyNode {
        try PolicyFile.document("apps:\n\(text)", file: nil)
    }
}

// MARK: Rules

extension PolicyDifference {
    /// What a greater value, or a longer list, of a field means.
    private enum Direction {
        /// A list of what is allowed; without the field, everything is.
        case allowed
        /// A list of what is allowed besides; without the field, nothing is.
        case permitted
        /// A list of what is refused or demanded.
        case refused
        /// The least that is allowed: a version.
        case minimum
        /// The most that is allowed: a duration or a number.
        case maximum
        /// The highest version that is allowed.
        case highest
        /// Words, the weakest first.
        case words([String])
        /// Nothing that decides what is accepted.
        case neutral
        /// Such as `packages` of `androidKey`: each one that shares the user ID is judged, so a shorter list may accept more.
        case unknown
    }

    /// The fields by their path, or by the last name of it.
    private static let directions: [String: Direction] = {
        var all: [String: Direction] = [:]
        func add(_ direction: Direction, _ fields: String...) { for field in fields { all[field] = direction } }
        add(
            .allowed, "appIDs", "environments", "certificateDigests", "validationCategories", "appRecognition",
            "licensing", "playProtect", "bootStates", "keyAlgorithms", "purposes", "issuers", "audiences",
            "acceptedAudiences", "locationSpoofing.allow", "reasons")
        add(
            .permitted, "testRoots", "verifiedBootKeys", "longLivedIssuers", "debugTokens", "annotations.ignore",
            "annotations.note", "leaves", "pins")
        add(
            .refused, "annotations.reject", "appAccessRisk.reject", "deviceRecall.reject", "versions.withdrawn",
            "required", "binding", "messageSigning.components", "requests.components",
            "patchLevel.levels")
        add(.maximum, "life", "past", "future")
        add(.highest, "maximumSystemVersion", "versions.maximum")
        add(.words(["off", "annotate", "reject"]), "enforcement", "rule")
        add(.words(["accept", "annotate", "reject"]), "unstated")
        add(.words(["any", "none", "caller", "ledger", "required"]), "challenge", "nonce", "replay")
        add(.words(["caller", "google"]), "answers")
        add(.words(["allow", "refuse"]), "testAuthorities", "testResponses", "callerEvidence", "noEvidence")
        add(.words(["none", "match", "required"]), "account")
        add(.words(["optional", "required"]), "key")
        add(.words(["no", "yes"]), "limitedUse")
        add(.words(["yes", "no"]), "fetch", "skip")
        add(.words(["pin", "leaf"]), "compare")
        add(.words(["none", "ban"]), "blocks")
        add(.words(["trustedEnvironment", "strongBox"]), "securityLevel")
        add(.neutral, "keys", "receipt.keep", "plausibleShare")
        return all
    }()

    private static func direction(of path: String) -> Direction {
        let name = path.split(separator: ".").last.map(String.init) ?? path
        if let known = directions[path] ?? directions[name] { return known }
        if path.hasPrefix("statusWords.") { return .permitted }
        if name.hasPrefix("minimum") { return .minimum }
        if path.hasPrefix("minimumOSVersion.") { return .minimum }
        return name.hasPrefix("maximum") ? .maximum : .unknown
    }

    private static func rules(of section: String, _ old: [Name: [Name]], _ new: [Name: [Name]]) -> [Change] {
        Set(old.keys).union(new.keys).compactMap { name -> Change? in
            let (path, before, after) = (name.text, old[name], new[name])
            guard before != after else { return nil }
            let direction = direction(of: path)
            let isNeutral = if case .neutral = direction { true } else { false }
            let isPermissive =
                switch (before, direction) {
                case (nil, _): !restricts(direction, after ?? [])
                case (_, .permitted): true
                default: false
                }
            let effect: Change.Effect =
                switch (before, after) {
                case (let before?, let after?): effect(direction, before, after)
                case (nil, _): .added
                case (_, nil): .removed
                }
            let name = path.isEmpty ? section : "\(section).\(path)"
            var values: String?
            if let before, let after { values = "\(text(before)) -> \(text(after))" }
            return Change(
                subject: .rule, effect: effect, name: name, values: values, isPermissive: isPermissive,
                isNeutral: isNeutral)
        }
    }

    private static func text(_ values: [Name]) -> String {
        let values = values.map(\.text.excerpt)
        return values.count == 1 ? values[0] : "[\(values.joined(separator: ", "))]"
    }

    private static func effect(_ direction: Direction, _ before: [Name], _ after: [Name]) -> Change.Effect {
        switch direction {
        case .allowed, .permitted: return effect(isSmaller: Set(after).isSubset(of: before))
        case .refused: return effect(isSmaller: Set(before).isSubset(of: after))
        case .minimum:
            guard let old = version(before), let new = version(after) else { return .changed }
            return effect(isSmaller: old.lexicographicallyPrecedes(new))
        case .highest:
            guard let old = version(before), let new = version(after) else { return .changed }
            return effect(isSmaller: new.lexicographicallyPrecedes(old))
        case .maximum:
            guard let old = amount(before), let new = amount(after) else { return .changed }
            return effect(isSmaller: new < old)
        case .words(let words):
            guard let old = before.first.flatMap({ words.firstIndex(of: $0.text) }),
                let new = after.first.flatMap({ words.firstIndex(of: $0.text) })
            else { return .changed }
            return effect(isSmaller: old < new)
        case .neutral, .unknown: return .changed
        }
    }

    /// Whether a field that was not there accepts less. A default that is not written may be stricter than the value of a field whose
    /// meaning is not known here.
    private static func restricts(_ direction: Direction, _ values: [Name]) -> Bool {
        switch direction {
        case .allowed, .refused, .minimum, .maximum, .highest, .neutral: true
        case .words(let words): values.first?.text == words.last
        case .permitted, .unknown: false
        }
    }

    private static func effect(isSmaller: Bool) -> Change.Effect { isSmaller ? .stricter : .weaker }

    /// The numbers of a version, without zeros at its end; nil for another text.
    private static func version(_ values: [Name]) -> [Int]? {
        guard values.count == 1 else { return nil }
        var numbers: [Int] = []
        for part in values[0].text.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = Int(part) else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        return numbers
    }

    private static func amount(_ values: [Name]) -> Double? {
        guard values.count == 1 else { return nil }
        let node = PolicyNode(.scalar(values[0].text), path: "", line: 0, file: nil)
        return Double(values[0].text) ?? (try? node.duration())
    }
}

extension PolicyNode {
    /// The text of a scalar; empty for other values.
    fileprivate var scalar: String {
        guard case .scalar(let text) = content else { return "" }
        return text
    }
}
