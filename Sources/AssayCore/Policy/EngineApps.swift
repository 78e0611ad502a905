/// What the evidence of one app is held against, as an engine prepares it from the policy.
package protocol EngineExpectations: Sendable {
    /// What the engine reads from an app of the policy.
    associatedtype Configuration: EngineConfiguration

    /// The name of the policy's app.
    var app: String { get }

    /// Prepares the expectations for an app.
    init(app: String, configuration: Configuration, modes: [CheckID: CheckMode])
}

/// The apps of a policy that one engine judges, and which of them evidence belongs to.
package struct EngineApps<Expectations: EngineExpectations>: Sendable {
    private let apps: [Expectations]
    @usableFromInline package let only: Expectations?

    /// Prepares the apps of a policy that the engine has a configuration for.
    package init(_ policy: Policy) {
        let apps = policy.apps.compactMap { app in
            app.configuration(Expectations.Configuration.self).map {
                Expectations(app: app.name, configuration: $0, modes: policy.modes)
            }
        }
        self.apps = apps
        only = apps.count == 1 ? apps.first : nil
    }

    /// The app that is named; without a name the only one of the policy, or the one that the evidence itself matches.
    ///
    /// With a single app there is no doubt, and evidence of another app fails the check of its identifier. With several,
    /// evidence that matches none or more than one cannot be held against anything, which is for the caller to mend.
    /// - Parameters:
    ///   - name: the name that comes with the evidence.
    ///   - identifier: by what evidence matches an app, for errors, such as `package name`.
    ///   - matching: those of several apps that the evidence matches. It is asked only when nothing else tells.
    @inlinable
    package func app(
        _ name: String?, by identifier: String, _ matching: ([Expectations]) -> [Expectations]
    ) throws(VerificationError) -> Expectations {
        if name == nil, let only { return only }
        return try search(name, by: identifier, matching)
    }

    @usableFromInline
    package func search(
        _ name: String?, by identifier: String, _ matching: ([Expectations]) -> [Expectations]
    ) throws(VerificationError) -> Expectations {
        let field = Expectations.Configuration.policyField
        if let name {
            guard let app = apps.first(where: { $0.app.isByteEqual(to: name) }) else {
                throw .request(
                    RequestError(.unknownApp, "the policy has no app \(name.excerpt) with \(field); it has \(names)"))
            }
            return app
        }
        guard !apps.isEmpty else { throw .request(RequestError(.unknownApp, "the policy has no app with \(field)")) }
        let candidates = matching(apps)
        guard let app = candidates.first, candidates.count == 1 else {
            throw .request(
                RequestError(
                    .ambiguousApp,
                    "the evidence names no app, and \(candidates.count) of \(names) fit its \(identifier); name the app"
                ))
        }
        return app
    }

    private var names: String { apps.isEmpty ? "none" : apps.map(\.app.excerpt).joined(separator: ", ") }
}
