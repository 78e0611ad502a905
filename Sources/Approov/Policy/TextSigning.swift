import AssayCore

/// A policy's rules for texts that apps sign with the account's key.
package struct TextSigning: Sendable, Equatable {
    /// The names of the account's keys; nil for all keys with the app as their scope.
    package let keys: [String]?
    /// The replay protection.
    package let replay: MessageSigning.ReplayGuard

    /// Creates the rules.
    package init(keys: [String]? = nil, replay: MessageSigning.ReplayGuard = .ledger) {
        self.keys = keys
        self.replay = replay
    }
}

extension TextSigning {
    /// The fields of `textSigning` in a policy.
    static let fields = [
        PolicyField("textSigning", .mapping, "What is demanded of signed texts."),
        PolicyField("textSigning.keys", .list(.text), "The name of a message signing key of the account."),
        PolicyField("textSigning.replay", .words(MessageSigning.ReplayGuard.self), "Who remembers texts."),
    ]

    /// Reads the field `textSigning`.
    init(reading node: PolicyNode) throws(PolicyError) {
        let fields = try node.members(of: ApproovConfiguration.fields, in: "textSigning")
        self.init(
            keys: try fields["keys"]?.uniqueTexts(),
            replay: try fields["replay"]?.word(MessageSigning.ReplayGuard.self) ?? .ledger)
    }

    func validate() throws(PolicyError) {
        if let keys { try ApproovConfiguration.Settings.demandList(keys, "textSigning.keys") }
    }

    /// The weak settings.
    var remarks: [PolicyRemark] {
        switch replay {
        case .ledger: []
        case .caller:
            [
                PolicyRemark(
                    "textSigning.replay",
                    "caller: a captured text passes again until its token expires unless the backend detects it")
            ]
        }
    }

    /// The settings in force.
    var settings: [PolicySetting] {
        [
            PolicySetting("textSigning.keys", keys ?? []), PolicySetting("textSigning.replay", replay.rawValue),
        ]
    }
}
