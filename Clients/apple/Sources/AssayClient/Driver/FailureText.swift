extension ClientModel.Failure {
    /// A storage that cannot be read or written.
    init(storage error: any Error) {
        let failure = error as? StorageFailure
        self.init(cause: failure?.isLocked ?? false ? "locked" : "storage", code: failure?.reason)
    }

    /// A request without a whole answer.
    init(transport failure: TransportFailure) {
        let isCancelled = failure.code == "cancelled" && !failure.mayHaveBeenSent
        self.init(cause: isCancelled ? "cancelled" : "network", code: failure.code, sent: failure.mayHaveBeenSent)
    }
}

extension AssayClientError {
    /// The error of a request that the state machine has given up.
    init(_ failure: ClientModel.Failure) {
        let refused = failure.cause == "network" ? failure.code.flatMap(PinRefusal.init).map(Self.refusal) : nil
        let (code, sentence) =
            failure.cause == "network" && failure.sent
            ? (.outcomeUnknown, "the request was sent and no answer came: ask the server before you repeat it")
            : refused ?? Self.causes[failure.cause] ?? Self.refusal(failure.remedy)
        self.init(
            code, failure.code.map { "\(sentence) (\($0))" } ?? sentence,
            retryAfter: failure.retryAfter.map(Double.init), detail: failure.code, remedy: failure.remedy)
    }

    /// What happened, and what to do.
    private static let causes: [String: (Code, String)] = [
        "network": (.later, "no connection to the server: repeat when the network is back"),
        "outage": (.later, "the server asks for a later attempt: repeat after `retryAfter`"),
        "too-many-keys": (.later, "the device has made `keysADay` keys: look for the cause in the events"),
        "storage": (.storage, "the state cannot be stored: check the access group, or the folder's mode and space"),
        "locked": (.locked, "the device has not been unlocked since its start: repeat after the first unlock"),
        "unsupported": (.unsupported, "this process cannot attest: requests say so in the field Assay-Evidence"),
        "platform": (.platform, "App Attest failed: repeat later; the events have each failure"),
        "redirected": (.redirected, "the server redirects: set the new URL in the settings"),
        "answer": (.answer, "the answer is not one of the contract: it may be of a captive portal or a proxy"),
        "session": (.session, "the backend wants a session: sign the user in again; `authorize` adds the session"),
        "request": (.request, "the request cannot be signed: check its fields and `coveredFields`"),
        "unknown-secret": (
            .unknownSecret, "a secret has no value: `secrets.names` must have it, and `assay secrets list` a value"
        ),
        "secrets-disabled": (.secretsDisabled, "the policy gives this app no secrets: see `secrets.enabled`"),
        "invalid-secret-name": (
            .invalidSecretName, "name 1 to 16 secrets, once each, of 1 to 64 printable characters"
        ),
        "forgotten": (.cancelled, "the account's key was deleted meanwhile: begin anew"),
        "cancelled": (.cancelled, "the task was cancelled: begin anew if you still need it"),
    ]

    private static func refusal(_ refusal: PinRefusal) -> (Code, String) {
        switch refusal {
        case .unmatched:
            (.pins, "no certificate of the server has a pin: another network may help; run `assay pins check`")
        case .outdated: (.pinsOutdated, "a newer configuration must be used first: call `apply()` of `Pinning`")
        case .blocked: (.blocked, "an operator has blocked the connections of this device, for a day at most")
        }
    }

    private static func refusal(_ remedy: Remedy?) -> (Code, String) {
        switch remedy {
        case .updateApp:
            (.updateApp, "the server wants another app: update it; in a debug build check App ID and environment")
        case .updateSystem: (.updateSystem, "the server wants a later system: ask the user to update")
        case .contactSupport:
            (.contactSupport, "the server refuses this device or account: only its operators can help")
        case .retry, .newChallenge, .newAttestation, .nothing, nil:
            (.refused, "the server refused the evidence, also a second time: its log has the failed check")
        }
    }
}
