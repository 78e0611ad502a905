/// The requirements that an engine prepares from the policy for the evidence of one app.
package protocol EngineExpectations: Sendable {
    /// The engine's section of an app in the policy.
    associatedtype Configuration: EngineConfiguration

    /// The name of the policy's app.
    var app: String { get }

    /// Prepares the expectations for an app.
    init(app: String, configuration: Configuration, modes: [CheckID: CheckMode])
}

/// The apps of a policy that one engine judges.
package struct EngineApps<Expectations: EngineExpectations>: Sendable {
    /// All apps, in the order of the policy.
    @usableFromInline package let all: [Expectations]
    @usableFromInline package let only: Expectations?

    /// Prepares the apps of a policy that the engine has a configuration for.
    package init(_ policy: VerificationPolicy) {
        let apps = policy.apps.compactMap { app in
            app.configuration(Expectations.Configuration.self).map {
                Expectations(app: app.name, configuration: $0, modes: policy.modes)
            }
        }
        all = apps
        only = apps.count == 1 ? apps.first : nil
    }

    /// The app with the given name; without a name, the only app of the policy.
    ///
    /// A single app judges all evidence, so evidence of another app fails the check of its identifier.
    /// - Returns: nil without a name when there are several apps: the evidence has to identify its app.
    /// - Throws: `.request` when the policy has no such app.
    @inlinable
    package func app(_ name: String?) throws(VerificationError) -> Expectations? {
        if name == nil, let only { return only }
        return try named(name)
    }

    @usableFromInline
    package func named(_ name: String?) throws(VerificationError) -> Expectations? {
        let field = Expectations.Configuration.policyField
        if let name {
            guard let app = all.first(where: { $0.app.isByteEqual(to: name) }) else {
                throw .request(
                    RequestError(.unknownApp, "the policy has no app \(name.excerpt) with \(field); it has \(names)"))
            }
            return app
        }
        guard !all.isEmpty else { throw .request(RequestError(.unknownApp, "the policy has no app with \(field)")) }
        return nil
    }

    /// The one app that evidence identifies.
    ///
    /// - Parameters:
    ///   - identifier: the part of the evidence that identifies its app, for errors, such as `package name`.
    ///   - matches: whether the evidence is of an app.
    /// - Throws: `.request` when no app or several apps match.
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

    /// The error for evidence that names no app when not exactly one app fits.
    @usableFromInline
    package func ambiguity(of count: Int, by identifier: String) -> VerificationError {
        .request(
            RequestError(
                .ambiguousApp, "the evidence names no app, and \(count) of \(names) fit its \(identifier); name the app"
            ))
    }

    private var names: String { all.isEmpty ? "none" : all.map(\.app.excerpt).joined(separator: ", ") }
}
