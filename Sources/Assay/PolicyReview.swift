import Approov
package import AssayCore
package import Foundation

/// Every error and every weak setting of a policy file.
package struct PolicyReview: Sendable {
    /// An error or a warning.
    package struct Finding: Sendable {
        /// The severity of a finding.
        package enum Severity: String, Sendable {
            /// The policy cannot be used.
            case error
            /// The policy is usable but weaker than necessary.
            case warning
        }

        /// The severity.
        package let severity: Severity
        /// The position and the message.
        package let problem: PolicyError

        /// The finding as one JSON object on one line.
        package var json: String {
            var object = JSONObject()
            if let file = problem.file { object.add("file", text: file) }
            if let line = problem.line { object.add("line", raw: "\(line)") }
            object.add("severity", text: severity.rawValue)
            object.add("field", text: problem.field)
            object.add("message", text: problem.message)
            return object.text
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
        guard !findings.contains(where: { $0.problem == problem }) else { return }
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
        let scopes = policy.apps.flatMap { app in
            [app.name] + app.configurations.flatMap { ($0 as? any ReadableConfiguration)?.keyScopes ?? [] }
        }
        for key in policy.keys { warn(of: key, scopes: scopes, in: root, at: now) }
        guard case .sequence(let apps)? = repair.root.value(at: "apps")?.content else { return }
        for (app, node) in zip(policy.apps, apps) {
            for configuration in app.configurations {
                guard let configuration = configuration as? any ReadableConfiguration,
                    let section = node.value(at: type(of: configuration).policyField)
                else { continue }
                let remarks = configuration.remarks + absentKeys(of: configuration, app.name, in: policy, at: now)
                for remark in remarks {
                    let problem = PolicyError(field: remark.field, remark.message).placed(in: section)
                    if !repair.isChanged(problem.field) { add(.warning, problem) }
                }
            }
        }
        guard case .mapping(let modes)? = repair.root.value(at: "checks")?.content else { return }
        let used = policy.apps.flatMap { $0.configurations.map { type(of: $0).engine } }
        for entry in modes {
            guard let definition = engines.catalogue.first(where: { $0.id.name.isByteEqual(to: entry.key) }),
                let sentence = Self.weakness(
                    of: policy.modes[definition.id], definition, isUsed: used.contains(Self.engine(of: definition.id)))
            else { continue }
            add(
                .warning,
                PolicyError(file: root.file, line: entry.line, field: "checks.\(entry.key.excerpt)", sentence))
        }
    }

    /// The warning for an Approov app without a key. A section that names keys may use a key store. Other engines need
    /// no key.
    private func absentKeys(
        of configuration: any ReadableConfiguration, _ app: String, in policy: VerificationPolicy, at now: Date
    ) -> [PolicyRemark] {
        guard let approov = configuration as? ApproovConfiguration, approov.keys == nil else { return [] }
        // An unreadable key is already an error.
        guard !findings.contains(where: { $0.severity == .error && $0.problem.field.hasPrefix("keys") }) else {
            return []
        }
        let claim = KeyClaim(app: app, names: nil, scopes: [app])
        let selection = KeySelection<ApproovKey>(policy.keys, for: claim, at: now)
        guard selection.live.isEmpty, selection.others.isEmpty else { return [] }
        return [
            PolicyRemark(
                "keys",
                "not set, and no key of the policy is for this app: every token is an error (no-key) unless the key store has a key "
                    + "for it; name its keys here")
        ]
    }

    /// What a mode in the policy weakens; nil for nothing.
    private static func weakness(of mode: CheckMode?, _ definition: CheckDefinition, isUsed: Bool) -> String? {
        guard isUsed else { return "no app has this kind of evidence; the mode has no effect" }
        guard let mode, case .policy(let standard) = definition.kind else { return nil }
        switch (mode, standard) {
        case (.off, _): return "off: the check is not run. It stops this: \(definition.stops)"
        case (.annotate, .enforce):
            return "annotate: a failure rejects nothing. The check stops this: \(definition.stops)"
        case (.annotate, _), (.enforce, _): return nil
        }
    }

    private static func engine(of check: CheckID) -> String { String(check.name.prefix { $0 != "." }) }

    private mutating func warn(of key: NamedKey, scopes: [String], in root: PolicyNode, at now: Date) {
        guard case .sequence(let keys)? = root.value(at: "keys")?.content,
            let node = keys.first(where: { $0.value(at: "name").map { $0.isText(key.name) } ?? false })
        else { return }
        func add(_ field: String, _ sentence: String) {
            self.add(.warning, (node.value(at: field) ?? node).error("the key \(key.name.excerpt) \(sentence)"))
        }
        if let scope = key.scope, !scopes.contains(where: { $0.isByteEqual(to: scope) }) {
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

extension PolicyNode {
    fileprivate func isText(_ text: String) -> Bool {
        guard case .scalar(let written) = content else { return false }
        return written.isByteEqual(to: text)
    }
}
