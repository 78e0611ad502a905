package import AssayCore

/// Reads the field `routes` of a policy.
enum PolicyRoutes {
    private static let longestName = 128

    static func read(
        _ node: PolicyNode?, apps: [PolicyApp], engines: EngineRegistry
    ) throws(PolicyError) -> [PolicyRoute] {
        guard let node else { return [] }
        let apps = Dictionary(apps.map { (Array($0.name.utf8), $0) }) { first, _ in first }
        var routes: [PolicyRoute] = []
        var names: Set<[UInt8]> = []
        for element in try node.elements() {
            let fields = try element.members(["name", "require", "evidence"])
            guard let name = fields["name"] else { throw element.missing("name", "a name that no app has") }
            let text = try name.text()
            guard text.utf8.count <= longestName, text.utf8.allSatisfy(isNameByte) else {
                throw name.error(
                    "expected up to \(longestName) letters, digits, - . _ or ~, which need no encoding in paths, found "
                        + name.found)
            }
            guard apps[Array(text.utf8)] == nil else {
                throw name.error("an app has the name \(text.excerpt); give the route another")
            }
            guard names.insert(Array(text.utf8)).inserted else {
                throw name.error("two routes are named \(text.excerpt); names are unique")
            }
            guard let require = fields["require"] else { throw element.missing("require", "allowed are any, all") }
            let requirement = try require.word(PolicyRoute.Requirement.self)
            guard let list = fields["evidence"] else { throw element.missing("evidence", "a list of apps") }
            var evidence: [PolicyRoute.Evidence] = []
            for item in try list.elements() {
                let found = try readEvidence(item, apps, engines)
                guard !evidence.contains(found) else {
                    throw item.error("\(found.kind) of app \(found.app.excerpt) is in the list twice")
                }
                evidence.append(found)
            }
            if requirement == .all, evidence.count > 1,
                let statement = evidence.first(where: { $0.kind == .noEvidence })
            {
                throw list.error(
                    "\(statement.kind) is for requests without other evidence, so that no request could satisfy require: all; use any"
                )
            }
            routes.append(PolicyRoute(name: text, requirement: requirement, evidence: evidence))
        }
        return routes
    }

    private static func readEvidence(
        _ node: PolicyNode, _ apps: [[UInt8]: PolicyApp], _ engines: EngineRegistry
    ) throws(PolicyError) -> PolicyRoute.Evidence {
        let fields = try node.members(["app", "kind"])
        guard let name = fields["app"] else { throw node.missing("app", "the name of an app") }
        let text = try name.text()
        guard let app = apps[Array(text.utf8)] else {
            throw name.error(
                "there is no app \(text.excerpt)"
                    + Nearest.advice(for: text, among: apps.values.map(\.name).sorted()))
        }
        let rules = engines.requestEvidence(of: app)
        let kinds = rules.map(\.kind.name)
        guard !kinds.isEmpty else {
            let sections = engines.engines.filter { $0 is any RequestEngine.Type }.map { $0.configuration.policyField }
            throw name.error(
                "the policy expects no evidence with the requests of app \(text.excerpt): add one of "
                    + "\(sections.joined(separator: ", ")), with requests where the section has that field")
        }
        if let kind = fields["kind"] {
            guard kinds.containsBytes(of: try kind.text()) else { throw kind.mismatch(with: kinds) }
            return PolicyRoute.Evidence(app: text, kind: EvidenceKind(try kind.text()))
        }
        // A statement counts only where the route names it.
        let implied = rules.filter { !$0.isStatement }
        guard let only = implied.first, implied.count == 1 else {
            throw node.missing(
                "kind",
                implied.isEmpty
                    ? "app \(text.excerpt) has no evidence with requests but the statement \(kinds[0]), which is never implied"
                    : "app \(text.excerpt) expects several kinds of evidence, \(kinds.joined(separator: ", "))")
        }
        return PolicyRoute.Evidence(app: text, kind: only.kind)
    }

    /// Whether a byte needs no percent-encoding in a segment of a path (RFC 3986 section 2.3).
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}

extension EngineRegistry {
    /// The evidence that requests of an app carry, in the order of the engines.
    package func requestEvidence(of app: PolicyApp) -> [RequestEvidenceRules] {
        engines.compactMap { ($0 as? any RequestEngine.Type)?.requestEvidence(of: app) }
    }
}
