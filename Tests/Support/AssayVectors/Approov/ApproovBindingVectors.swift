import AssayTesting

/// Tokens that are bound to values of a request, or must be.
extension ApproovVectorMint {
    private static let session = "Bearer myauth_token"

    private static let device = "my-device-id"

    private func bound(
        _ id: String, app: String = "bound", _ outcome: VectorOutcome, to values: [String] = [session],
        _ binding: [String]
    ) -> VectorCase {
        token("binding-\(id)", app: app, outcome, binding: binding) { $0.claims.bind(to: values) }
    }

    private func bound(
        _ id: String, app: String = "bound", to values: [String] = [session], _ binding: [String]
    ) -> VectorCase { bound(id, app: app, .reject("token.binding"), to: values, binding) }

    var tokenBinding: [VectorCase] {
        let session = Self.session
        let values = [Self.session, Self.device]
        func two(_ id: String, _ outcome: VectorOutcome, _ binding: [String]) -> VectorCase {
            bound("two-\(id)", app: "bound-to-two", outcome, to: values, binding)
        }
        func two(_ id: String, _ binding: [String]) -> VectorCase { two(id, .reject("token.binding"), binding) }
        func failover(_ id: String, app: String, _ outcome: VectorOutcome, bind: [String]? = nil) -> VectorCase {
            token("binding-failover-\(id)", app: app, outcome, binding: [Self.session, Self.device]) {
                $0.claims = .failover(expiresAt: expiresAt)
                if let bind { $0.claims.bind(to: bind) }
            }
        }
        return [
            bound("same", .accept, [session]), bound("with-space-around", .accept, [" \t\(session)  "]),
            bound("other", ["Bearer another_token"]), bound("without-its-scheme", ["myauth_token"]),
            bound("scheme-in-other-case", ["bearer myauth_token"]), bound("with-two-spaces", ["Bearer  myauth_token"]),
            bound("with-line-feed", [session + "\n"]), bound("with-nul", [session + "\u{0}"]), bound("empty", [""]),
            bound("space-alone", [" "]), bound("nothing-presented", []), bound("two-presented", [session, "more"]),
            bound("same-twice", [session, session]),
            bound("composed-differently", to: ["Bearer e\u{301}"], ["Bearer \u{E9}"]),
            bound("to-unicode", .accept, to: ["Bearer \u{E9}"], ["Bearer \u{E9}"]),
            bound("to-nothing", to: [""], [""]),
            two("same", .accept, values), two("with-space-around", .accept, [" \(values[0])", "\(values[1])\t"]),
            // The vendor joins values without a separator, so the boundary between values is not bound.
            two("divided-elsewhere", .accept, ["\(values[0])my-", "device-id"]),
            two("exchanged", values.reversed()), two("second-missing", [values[0]]),
            two("second-empty", [values.joined(), ""]), two("first-empty", ["", values.joined()]),
            two("second-other", [values[0], "another-device-id"]), two("first-twice", [values[0], values[0]]),
            two("with-a-third", values + ["x"]), two("with-an-empty-third", values + [""]),
            token("binding-not-bound", app: "bound", .reject("token.binding"), binding: [Self.session]),
            token("binding-not-bound-and-nothing-presented", app: "bound", .reject("token.binding")),
            token(
                "binding-digest-of-nothing", app: "bound", .reject("token.binding"), .binding,
                ApproovClaimsBlueprint.base64(.zeros(32)), binding: [Self.session]),
            // An API without binding compares the values that it is given.
            bound("presented-where-nothing-is-bound", app: "api", .accept, [Self.session]),
            bound("presented-another-where-nothing-is-bound", app: "api", ["Bearer another_token"]),
            bound(
                "of-two-values-where-nothing-is-bound", app: "api", .accept, to: [Self.session, "x"],
                [Self.session, "x"]),
            token("binding-presented-and-not-bound", .reject("token.binding"), binding: [Self.session]),
            // A token without a device must not bypass the binding.
            failover("accepted", app: "bound-to-two", .accept),
            // A bound token must be bound to these values.
            failover("bound-elsewhere", app: "bound-to-two", .reject("token.binding"), bind: ["x"]),
            token(
                "binding-failover-rejected", app: "bound", .reject("token.binding", "token.failover"),
                binding: [Self.session]
            ) { $0.claims = .failover(expiresAt: expiresAt) },
        ]
    }
}
