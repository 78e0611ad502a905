package import AssayCore

/// The words that apps can send instead of a missing token (Approov SDK, TokenFetchStatus), and the absence of both.
package enum ApproovStatusWord: String, Sendable, CaseIterable {
    /// The fetch succeeded, but there is no token.
    case success = "SUCCESS"
    /// There is no network.
    case noNetwork = "NO_NETWORK"
    case poorNetwork = "POOR_NETWORK"
    /// The connection between the app and Approov is intercepted.
    case mitmDetected = "MITM_DETECTED"
    /// Approov's services are down, or the account is closed.
    case noApproovService = "NO_APPROOV_SERVICE"
    /// The URL does not use https.
    case badURL = "BAD_URL"
    /// The account does not list the domain.
    case unknownURL = "UNKNOWN_URL"
    /// The domain needs no token.
    case unprotectedURL = "UNPROTECTED_URL"
    /// The app lacks the network permission.
    case noNetworkPermission = "NO_NETWORK_PERMISSION"
    /// The app lacks a library.
    case missingLibraryDependency = "MISSING_LIB_DEPENDENCY"
    /// The SDK failed.
    case internalError = "INTERNAL_ERROR"
    /// The app failed attestation.
    case rejected = "REJECTED"
    /// The feature is not enabled for the account.
    case disabled = "DISABLED"
    /// The secure string does not exist.
    case unknownKey = "UNKNOWN_KEY"
    /// The key of a secure string is malformed.
    case badKey = "BAD_KEY"
    /// The payload of a custom JWT is malformed.
    case badPayload = "BAD_PAYLOAD"
    /// The SDK was not initialised.
    case notInitialized = "NOT_INITIALIZED"
    /// The app got no token. Approov's example code sends it in place of an empty field.
    case noToken = "NOTOKEN"
    /// The request has no token field, or an empty one, which apps send when Approov's services cannot be reached. A name in policies,
    /// never a text that apps send.
    case empty = "EMPTY"

    /// The words that apps send.
    package static let sent = allCases.filter { $0 != .empty }

    /// The meaning for operators.
    package var meaning: String {
        switch self {
        case .success: "the fetch was completed, and the app sent the word instead of the token"
        case .noNetwork: "the device had no network when the app asked for a token"
        case .poorNetwork: "the network was too poor to get a token"
        case .mitmDetected: "a third party stood between the app and Approov, such as a firewall that terminates TLS"
        case .noApproovService: "Approov's services could not be reached, or the account is closed"
        case .badURL: "the app asked for a token for a URL that is none of https"
        case .unknownURL: "the domain was not added to the Approov account"
        case .unprotectedURL: "the domain is one that needs no token"
        case .noNetworkPermission: "the app may not use the network"
        case .missingLibraryDependency: "a library that the SDK needs is missing in the app"
        case .internalError: "the SDK failed"
        case .rejected: "the app failed attestation"
        case .disabled: "the feature is not enabled for the account"
        case .unknownKey: "the app asked for a secure string that does not exist"
        case .badKey: "the app asked for a secure string by a malformed key"
        case .badPayload: "the app asked for a custom JWT with a malformed payload"
        case .notInitialized: "the app made the request before the SDK was initialised"
        case .noToken: "the app got no token, and does not say why"
        case .empty: "the request has no token"
        }
    }

    /// What a client can do about it (Approov, token fetch results: the recommendations Retry, Continue, Message and Error).
    package var remedy: Remedy {
        switch self {
        case .noNetwork, .poorNetwork, .mitmDetected, .noApproovService, .noToken, .empty: .retry
        case .success, .badURL, .unprotectedURL, .noNetworkPermission, .missingLibraryDependency, .badKey, .badPayload,
            .notInitialized:
            .updateApp
        case .unknownURL, .internalError, .rejected, .disabled, .unknownKey: .contactSupport
        }
    }

    /// Reads a word by exact bytes.
    package init?(bytes: ArraySlice<UInt8>) {
        guard let word = Self.sent.first(where: { bytes.elementsEqual($0.rawValue.utf8) }) else { return nil }
        self = word
    }
}

/// The treatment of a request with a status word in place of its token.
package enum StatusWordRule: String, Sendable, CaseIterable {
    case reject
    /// It is accepted, and the verdict notes the word.
    case annotate
}
