import AssayCore

/// A policy's rules for texts that apps sign with the account's key.
package struct TextSigning: Sendable, Equatable {
    /// The names of the account's keys; nil for all keys with the app as their scope.
    package var keys: [String]?
    /// The replay protection.
    package var replay: MessageSigning.ReplayGuard

    /// Creates the rules.
    package init(keys: [String]? = nil, replay: MessageSigning.ReplayGuard = .ledger) {
        self.keys = keys
        self.replay = replay
    }
}

extension TextSigning {
    /// The fields of `textSigning` in a policy.
    static let table: [SectionField<TextSigning>] = [
        .field("keys", \.keys, .texts, "The name of a message signing key of the account."),
        .field("replay", \.replay, .word, "Who remembers texts.").weak(
            if: { $0.replay == .caller },
            "caller: a captured text passes again until its token expires unless the backend detects it"),
    ]

    func validate() throws(PolicyError) {
        if let keys { try ApproovConfiguration.Settings.requireList(keys, "textSigning.keys") }
    }
}
