/// The requirements that an engine prepares from the policy for the evidence of one app.
@usableFromInline
package protocol EngineExpectations: Sendable {
    /// The engine's section of an app in the policy.
    associatedtype Configuration: EngineConfiguration

    var app: String { get }

    /// Prepares the expectations for an app. A policy check without a mode in `modes` is enforced.
    init(app: String, configuration: Configuration, modes: [CheckID: CheckMode])

    /// Prepares the expectations for an app of a policy.
    init(app: PolicyApp, configuration: Configuration, policy: VerificationPolicy)
}

extension EngineExpectations {
    /// Uses only the modes of the policy.
    package init(app: PolicyApp, configuration: Configuration, policy: VerificationPolicy) {
        self.init(app: app.name, configuration: configuration, modes: policy.modes(of: app))
    }
}

/// The apps of a policy that one engine judges.
@usableFromInline
package struct EngineApps<Expectations: EngineExpectations>: Sendable {
    /// All apps, in the order of the policy.
    @usableFromInline package let all: [Expectations]
    @usableFromInline package let only: Expectations?

    /// Prepares the policy's apps that have a section for the engine.
    package init(_ policy: VerificationPolicy) {
        let apps = policy.apps.compactMap { app in
            app.configuration(Expectations.Configuration.self).map {
                Expectations(app: app, configuration: $0, policy: policy)
            }
        }
        all = apps
        only = apps.count == 1 ? apps.first : nil
    }

    /// The app with the given name; without a name, the only app of the policy; nil if there are several. Throws
    /// `.request` for an unknown name.
    ///
    /// A single app judges all evidence, so evidence of another app fails the check of its identifier.
    @inlinable
    package func app(_ name: String?) throws(VerificationError) -> Expectations? {
        guard let name else {
            if all.count > 1 { return nil }
            guard let only else { throw absence(of: nil) }
            return only
        }
        for index in all.indices where all[index].app.isByteEqual(to: name) { return all[index] }
        throw absence(of: name)
    }

    @usableFromInline
    func absence(of name: String?) -> VerificationError {
        let field = Expectations.Configuration.policyField
        guard let name else { return .request(RequestError(.unknownApp, "the policy has no app with \(field)")) }
        return .request(
            RequestError(
                .unknownApp,
                "the policy has no app \(name.excerpt) with \(field); it has \(names)"
                    + Nearest.advice(for: name, among: all.map(\.app))))
    }

    /// The app that matches the evidence; throws `.request` if none or several do. `identifier` names the part of the
    /// evidence that identifies its app, for errors: `package name`, for example.
    @inlinable
    package func app(
        by identifier: String, where matches: (Expectations) -> Bool
    ) throws(VerificationError) -> Expectations {
        var found: Expectations?
        var count = 0
        for app in all where matches(app) {
            found = app
            count += 1
        }
        guard let found, count == 1 else { throw ambiguity(of: count, by: identifier) }
        return found
    }

    /// The app with the given name and its rules for a kind of evidence; without a name, the only app with such rules.
    ///
    /// - Parameters:
    ///   - field: the policy field that holds the rules.
    ///   - rules: the rules of an app; nil if the policy has none.
    package func require<Rules>(
        _ name: String?, _ field: String, _ rules: (Expectations) -> Rules?
    ) throws(VerificationError) -> (Expectations, Rules) {
        let section = Expectations.Configuration.policyField
        guard let name else {
            let having = all.compactMap { app in rules(app).map { (app, $0) } }
            if having.count == 1 { return having[0] }
            throw .request(
                having.isEmpty
                    ? RequestError(.unknownApp, "the policy has no app with \(section).\(field)")
                    : RequestError(
                        .ambiguousApp,
                        "the evidence names no app, and \(having.count) apps have \(section).\(field): "
                            + "\(having.map(\.0.app.excerpt).joined(separator: ", ")); name the app"))
        }
        guard let app = try app(name), let found = rules(app) else {
            throw .request(
                RequestError(
                    .unknownApp,
                    "app \(name.excerpt) has no \(section).\(field) in the policy, which says what is demanded of such "
                        + "evidence"))
        }
        return (app, found)
    }

    /// The error for evidence that names no app when no app or several apps match.
    @usableFromInline
    package func ambiguity(of count: Int, by identifier: String) -> VerificationError {
        .request(
            RequestError(
                .ambiguousApp, "the evidence names no app, and \(count) of \(names) fit its \(identifier); name the app"
            ))
    }

    private var names: String { all.isEmpty ? "none" : all.map(\.app.excerpt).joined(separator: ", ") }
}
