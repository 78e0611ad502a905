extension AssayClientError {
    /// The error of a request that the state machine has given up.
    init(_ failure: ClientModel.Failure) {
        let code = failure.code.map { " (\($0))" } ?? ""
        let after = failure.retryAfter.map(Double.init)
        func error(_ code: Code, _ message: String) -> AssayClientError {
            AssayClientError(code, message, retryAfter: after)
        }
        self =
            switch (failure.cause, failure.sent) {
            case ("network", true):
                error(
                    .outcomeUnknown,
                    "the request was sent and no answer came\(code): ask the server whether it was done before you repeat it"
                )
            case ("network", false):
                error(.later, "no connection to the server\(code): repeat when the network is back")
            case ("outage", _): error(.later, "the server asks for a later attempt\(code): repeat after `retryAfter`")
            case ("too-many-keys", _):
                error(
                    .later,
                    "the device has made as many keys in 24 hours as `keysADay` allows: look for the cause in the events"
                )
            case ("storage", _):
                error(
                    .storage,
                    "the state cannot be stored: check the Keychain's access group, or the folder's mode and space")
            case ("locked", _):
                error(.locked, "the device has not been unlocked since its start: repeat after the first unlock")
            case ("unsupported", _):
                error(
                    .unsupported,
                    "this device or process cannot attest\(code): requests say so in the field Assay-Evidence")
            case ("platform", _):
                error(.platform, "App Attest failed\(code): repeat later; the events have each failure")
            case ("redirected", _):
                error(
                    .redirected,
                    "the server redirects\(code): a signature holds for one URL, so request the new URL, or set it in the settings"
                )
            case ("answer", _):
                error(
                    .answer,
                    "the answer is not one of the contract\(code): a captive portal, a proxy or another server may have sent it"
                )
            case ("forgotten", _): error(.cancelled, "the account's key was deleted meanwhile")
            case ("cancelled", _): error(.cancelled, "the task was cancelled")
            default: Self.refusal(failure)
            }
    }

    private static func refusal(_ failure: ClientModel.Failure) -> AssayClientError {
        let code = failure.code.map { " (\($0))" } ?? ""
        let after = failure.retryAfter.map(Double.init)
        switch failure.remedy {
        case .updateApp:
            return AssayClientError(
                .updateApp,
                "the server accepts a later version of the app, or another build\(code): ask the user to update; in a debug build "
                    + "check the App ID and the environment",
                retryAfter: after)
        case .updateSystem:
            return AssayClientError(
                .updateSystem, "the server wants a later system\(code): ask the user to update", retryAfter: after)
        case .contactSupport:
            return AssayClientError(
                .contactSupport, "the server refuses this device or account\(code): only its operators can help",
                retryAfter: after)
        case .retry, .newChallenge, .newAttestation, .nothing, nil:
            return AssayClientError(
                .refused,
                "the server refused the evidence, also after another attempt\(code): its log has the failed check",
                retryAfter: after)
        }
    }
}
