package import Assay
package import AssayCore
package import Foundation

/// Every error and every weak setting of a policy file.
package struct PolicyReview: Sendable {
    /// An error or a warning.
    package struct Finding: Sendable {
        package enum Severity: String, Sendable {
            /// The policy cannot be used.
            case error
            /// The policy is usable but weaker than necessary.
            case warning
            /// What a setting needs outside of the policy.
            case note
        }

        package let severity: Severity
        /// The position and the message.
        package let problem: PolicyError

        /// The finding as one JSON object on one line.
        package var json: String {
            JSONObject([
                "file": problem.file, "line": problem.line, "severity": severity.rawValue, "field": problem.field,
                "message": problem.message,
            ]).text
        }

        /// `FILE:LINE: SEVERITY: FIELD: SENTENCE`.
        package var description: String {
            let place = [problem.file, problem.line.map(String.init)].compactMap { $0 }.joined(separator: ":")
            return [place, severity.rawValue, problem.field, problem.message].filter { !$0.isEmpty }
                .joined(separator: ": ")
        }
    }

    /// The maximum number of errors. A file with more is probably not a policy.
    package static let maximumErrors = 100
    /// The time before its expiry, in seconds, from which a key is reported.
    private static let soon: Double = 30 * 86_400

    /// The errors and warnings, in the order of lines.
    package private(set) var findings: [Finding] = []
    /// The findings as text: none is reported twice.
    private var seen: Set<String> = []

    /// The number of findings of a severity.
    package func count(_ severity: Finding.Severity) -> Int { findings.count { $0.severity == severity } }

    /// Reviews a policy file. Keys are checked against `now`.
    package init(path: String, engines: EngineRegistry, at now: Date) {
        let text: String
        do throws(PolicyError) {
            text = try PolicyFile.text(of: path)
        } catch {
            self.init([Finding(severity: .error, problem: error)])
            return
        }
        self.init(text: text, path: path, engines: engines, at: now)
    }

    private init(_ findings: [Finding]) { self.findings = findings }

    /// Reviews text as the policy file at `path`, the base of its relative paths.
    package init(text: String, path: String, engines: EngineRegistry, at now: Date) {
        do throws(PolicyError) {
            let root = try PolicyFile.document(text, file: path)
            review(root, files: LocalFiles(relativeTo: path), engines: engines, at: now)
        } catch {
            findings = [Finding(severity: .error, problem: error)]
        }
        findings = findings.enumerated().sorted {
            ($0.element.problem.line ?? 0, $0.offset) < ($1.element.problem.line ?? 0, $1.offset)
        }.map(\.element)
    }

    private mutating func add(_ severity: Finding.Severity, _ problem: PolicyError) {
        guard seen.insert(problem.description).inserted else { return }
        findings.append(Finding(severity: severity, problem: problem))
    }

    private mutating func review(_ root: PolicyNode, files: LocalFiles, engines: EngineRegistry, at now: Date) {
        for error in PolicyFile.repeatedNames(in: root).prefix(Self.maximumErrors) { add(.error, error) }
        var repair = PolicyRepair(root, engines: engines)
        while findings.count < Self.maximumErrors {
            do throws(PolicyError) {
                let policy = try PolicyFile.policy(
                    repair.root, files: files, engines: engines, keyMaterials: engines.keyMaterials, besides: [])
                return warn(of: policy, in: root, repair, engines, at: now)
            } catch {
                if !repair.isConsequence(error.field) { add(.error, error) }
                for other in Self.otherErrors(of: error, in: root, files, engines) { add(.error, other) }
                guard repair.repair(error.field) else { return }
            }
        }
    }

    /// The errors in the other parts of a key with an error.
    private static func otherErrors(
        of error: PolicyError, in root: PolicyNode, _ files: LocalFiles, _ engines: EngineRegistry
    ) -> [PolicyError] {
        guard error.field.hasPrefix("keys["), case .sequence(let keys)? = root.value(at: "keys")?.content,
            let key = keys.first(where: { error.field.hasPrefix("\($0.path).") })
        else { return [] }
        return PolicyKeys(materials: engines.keyMaterials, files: files).errors(ofPartsIn: key)
    }

    // MARK: Warnings

    private mutating func warn(
        of policy: VerificationPolicy, in root: PolicyNode, _ repair: PolicyRepair, _ engines: EngineRegistry,
        at now: Date
    ) {
        warn(of: policy, keysIn: root, at: now)
        // An unreadable key is already an error.
        let hasAllKeys = !findings.contains { $0.severity == .error && $0.problem.field.hasPrefix("keys") }
        let names = Set(policy.keys.map { Array($0.name.utf8) })
        guard case .sequence(let apps)? = repair.root.value(at: "apps")?.content else { return }
        for (app, node) in zip(policy.apps, apps) {
            for configuration in app.configurations {
                guard let configuration = configuration as? any ReadableConfiguration,
                    let section = node.value(at: type(of: configuration).policyField)
                else { continue }
                let remarks =
                    configuration.remarks
                    + (hasAllKeys ? configuration.remarks(on: policy.keys, app: app.name, at: now) : [])
                    + Self.misspelledKeys(of: configuration, in: policy, names)
                    + Self.absentKinds(of: configuration, app, engines)
                for remark in remarks {
                    let problem = PolicyError(field: remark.field, remark.message).placed(in: section)
                    guard !repair.isChanged(problem.field) else { continue }
                    add(remark.kind == .prerequisite ? .note : .warning, problem)
                }
            }
        }
        guard case .mapping(let modes)? = repair.root.value(at: "checks")?.content else { return }
        for entry in modes {
            guard let definition = engines.catalogue.first(where: { $0.id.name.isByteEqual(to: entry.key) }) else {
                continue
            }
            for sentence in Self.weaknesses(of: policy.modes[definition.id], definition, policy.apps) {
                add(
                    .warning,
                    PolicyError(file: root.file, line: entry.line, field: "checks.\(entry.key.excerpt)", sentence))
            }
        }
    }

    /// The warnings for kinds of evidence that a section requires and that the app does not have.
    private static func absentKinds(
        of configuration: any ReadableConfiguration, _ app: PolicyApp, _ engines: EngineRegistry
    ) -> [PolicyRemark] {
        configuration.required.enumerated().compactMap { index, kind in
            var lacks: String?
            if let section = engines.engine(for: kind)?.configuration {
                let found = app.configurations.first { type(of: $0).policyField == section.policyField }
                if found == nil {
                    lacks = section.policyField
                } else if let field = (found as? any ReadableConfiguration)?.missingField(for: kind) {
                    lacks = "\(section.policyField).\(field)"
                }
            }
            return lacks.map {
                PolicyRemark(
                    "required[\(index)]",
                    "\(kind): app \(app.name.excerpt) has no \($0), and so no such evidence: this demands nothing")
            }
        }
    }

    /// The warnings for names of keys that are nearly the names of keys of the policy.
    private static func misspelledKeys(
        of configuration: any ReadableConfiguration, in policy: VerificationPolicy, _ known: Set<[UInt8]>
    ) -> [PolicyRemark] {
        configuration.settings.flatMap { setting -> [PolicyRemark] in
            guard PolicySetting.namesKeys(setting.path), case .sequence(let nodes)? = setting.value else { return [] }
            let listed = nodes.compactMap { node in
                if case .scalar(let name) = node.content { name } else { nil as String? }
            }
            return nodes.enumerated().compactMap { index, node in
                guard case .scalar(let name) = node.content, !known.contains(Array(name.utf8)) else { return nil }
                // Keys of a rotation have similar names.
                let others = policy.keys.map(\.name).filter { !listed.containsBytes(of: $0) }
                let nearest = Nearest.names(to: name, among: others)
                return nearest.isEmpty
                    ? nil
                    : PolicyRemark(
                        "\(setting.path)[\(index)]",
                        "no key of the policy has this name, but \(nearest.joined(separator: " and ")) is nearly the same: unless the "
                            + "key store has \(name.excerpt), correct it")
            }
        }
    }

    /// What a mode in the policy weakens, or does not reach; empty for nothing.
    private static func weaknesses(
        of mode: CheckMode?, _ definition: CheckDefinition, _ apps: [PolicyApp]
    ) -> [String] {
        let users = apps.flatMap { app in
            app.configurations.compactMap { $0 as? any ReadableConfiguration }
                .filter { type(of: $0).engine.isByteEqual(to: engine(of: definition.id)) }
                .map { (app: app, configuration: $0) }
        }
        guard !users.isEmpty else { return ["no app has this kind of evidence; the mode has no effect"] }
        guard let mode, case .policy(let standard) = definition.kind else { return [] }
        switch (mode, standard) {
        case (.off, _): return ["off: the check is not run. It stops this: \(definition.stops)"]
        case (.annotate, .enforce):
            return ["annotate: a failure rejects nothing. The check stops this: \(definition.stops)"]
        case (.annotate, _):
            let stating = users.filter { $0.app.statedRules.contains(definition.id) }.map(\.app.name.excerpt)
            guard !stating.isEmpty else { return [] }
            return [
                "annotate: the rule of \(stating.joined(separator: ", ")) rejects nothing; without this line it is enforced"
            ]
        case (.enforce, _):
            return users.compactMap { user in
                user.configuration.unsetFields[definition.id].map {
                    "enforce: the check does not run for app \(user.app.name.excerpt), which has no \($0) in "
                        + type(of: user.configuration).policyField
                }
            }
        }
    }

    private static func engine(of check: CheckID) -> String { String(check.name.prefix { $0 != "." }) }

    private mutating func warn(of policy: VerificationPolicy, keysIn root: PolicyNode, at now: Date) {
        guard case .sequence(let nodes)? = root.value(at: "keys")?.content else { return }
        let scopes = policy.apps.flatMap { app in
            [app.name] + app.configurations.flatMap { ($0 as? any ReadableConfiguration)?.keyScopes ?? [] }
        }
        let known = Set(scopes.map { Array($0.utf8) })
        let named = nodes.compactMap { node -> ([UInt8], PolicyNode)? in
            guard case .scalar(let name)? = node.value(at: "name")?.content else { return nil }
            return (Array(name.utf8), node)
        }
        let places = Dictionary(named, uniquingKeysWith: { first, _ in first })
        for key in policy.keys {
            guard let node = places[Array(key.name.utf8)] else { continue }
            let isMisplaced = key.scope.map { !known.contains(Array($0.utf8)) } ?? false
            warn(of: key, at: node, outside: isMisplaced ? scopes : nil, now)
        }
    }

    /// - Parameter scopes: those of the apps, if the key's is none of them.
    private mutating func warn(of key: NamedKey, at node: PolicyNode, outside scopes: [String]?, _ now: Date) {
        func add(_ field: String, _ sentence: String) {
            self.add(.warning, (node.value(at: field) ?? node).error("the key \(key.name.excerpt) \(sentence)"))
        }
        if let scopes, let scope = key.scope {
            add(
                "for",
                "is for \(scope.excerpt), which is no app of the policy, so that it is never used"
                    + Nearest.advice(for: scope, among: scopes))
        }
        switch key.state(at: now) {
        case .live:
            guard let end = key.window.notAfter, end.timeIntervalSince(now) < Self.soon else { return }
            add("notAfter", "ends soon, at \(RFC3339.format(end)); add the next one")
        case .pending(let begin): add("notBefore", "is not in force before \(RFC3339.format(begin))")
        case .expired(let end): add("notAfter", "is not in force since \(RFC3339.format(end)); remove it")
        case .retired(let end): add("notAfter", "is retired since \(RFC3339.format(end)); remove it")
        }
    }
}
