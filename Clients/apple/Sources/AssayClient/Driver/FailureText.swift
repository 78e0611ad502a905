extension ClientModel.Failure {
    /// A storage that cannot be read or written.
    init(storage error: any Error) {
        let failure = error as? StorageFailure
        self.init(cause: failure?.isLocked ?? false ? "locked" : "storage", code: failure?.reason)
    }
}

extension AssayClientError {
    /// The error of a request that the state machine has given up.
    init(_ failure: ClientModel.Failure) {
        let (code, happened, advice) = Self.parts(failure)
        let detail = failure.code.map { " (\($0))" } ?? ""
        self.init(code, "\(happened)\(detail): \(advice)", retryAfter: failure.retryAfter.map(Double.init))
    }

    /// What happened, and what to do.
    private static func parts(_ failure: ClientModel.Failure) -> (Code, String, String) {
        switch failure.cause {
        case "network" where failure.sent:
            (
                .outcomeUnknown, "the request was sent and no answer came",
                "ask the server whether it was done before you repeat it"
            )
        case "network": (.later, "no connection to the server", "repeat when the network is back")
        case "outage": (.later, "the server asks for a later attempt", "repeat after `retryAfter`")
        case "too-many-keys":
            (.later, "the device has made as many keys as `keysADay` allows", "look for the cause in the events")
        case "storage":
            (
                .storage, "the state cannot be stored",
                "check the Keychain's access group, or the folder's mode and space"
            )
        case "locked":
            (.locked, "the device has not been unlocked since its start", "repeat after the first unlock")
        case "unsupported": (.unsupported, "this process cannot attest", "requests say so in the field Assay-Evidence")
        case "platform": (.platform, "App Attest failed", "repeat later; the events have each failure")
        case "redirected":
            (
                .redirected, "the server redirects",
                "a signature holds for one URL, so request the new URL, or set it in the settings"
            )
        case "answer":
            (
                .answer, "the answer is not one of the contract",
                "a captive portal, a proxy or another server may have sent it"
            )
        case "request": (.request, "the request cannot be signed", "check its fields and `coveredFields`")
        case "forgotten": (.cancelled, "the account's key was deleted meanwhile", "begin anew")
        case "cancelled": (.cancelled, "the task was cancelled", "begin anew if you still need it")
        default:
            switch failure.remedy {
            case .updateApp:
                (
                    .updateApp, "the server wants another version or build of the app",
                    "ask the user to update; in a debug build check the App ID and the environment"
                )
            case .updateSystem: (.updateSystem, "the server wants a later system", "ask the user to update")
            case .contactSupport:
                (.contactSupport, "the server refuses this device or account", "only its operators can help")
            case .retry, .newChallenge, .newAttestation, .nothing, nil:
                (
                    .refused, "the server refused the evidence, also after another attempt",
                    "its log has the failed check"
                )
            }
        }
    }
}
