import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The settings of the kit.
public struct Configuration: Sendable {
    /// The app's name in Assay's policy.
    public var app: String
    /// The backend's endpoints of the contract: https, or http of this machine.
    public var challenges: URL
    /// Where attestations go.
    public var enrolments: URL
    /// Where tokens come from.
    public var tokens: URL
    /// Where runtime secrets come from.
    public var secrets: URL
    /// The pins of servers; nil without. The attestor's own transport holds to them.
    public var pinning: Pinning?
    /// The environment of the build's keys: `production`, or `development` for builds from Xcode. Keys do not cross.
    public var environment = "production"
    /// The app's own identifier of the user; empty without one. Each account has a key of its own.
    public var account = ""
    /// Fields that signatures cover besides the method, the URL and the body, in lower case.
    public var coveredFields: [String] = []
    /// Whether each signature takes a challenge of the server: the policy's `requests.nonce: ledger`.
    public var signsChallenges = false
    /// Whether a request waits for the answer to the one before. Needed where the policy's counter has no window; the kit
    /// begins it by itself when the server refuses a counter.
    public var sendsInTurn = false
    /// Whether the attestation brings a token of DeviceCheck.
    public var sendsDeviceToken = false
    /// How many keys may be made in 24 hours.
    public var keysADay = 3
    /// Of the app, such as `5.1.0`; 1 to 64 printable ASCII characters.
    public var appVersion: String
    /// Of the system, such as `16.2`.
    public var systemVersion: String
    /// A name of this process: other than those of the app's extensions, and the same after a restart, so that the next process
    /// goes on at once where an ended one has stopped.
    public var process = Bundle.main.bundleIdentifier ?? UUID().uuidString
    /// A mark that a reinstallation changes. Called after the first unlock only. An app and its extensions need the same:
    /// use ``installationMark(appGroup:)`` with their group.
    public var installation: @Sendable () -> String
    /// Adds what the app's backend wants of the kit's own requests, such as the user's session. It may not use the attestor,
    /// which waits for it.
    public var authorize: @Sendable (inout URLRequest) async -> Void = { _ in }
    /// Gets events for the app's telemetry, from any thread.
    public var observe: @Sendable (ClientEvent) -> Void = { _ in }

    /// - Parameters:
    ///   - app: the app's name in Assay's policy.
    ///   - backend: the endpoints are `challenges`, `enrolments`, `tokens` and `secrets` below it.
    public init(app: String, backend: URL) {
        self.app = app
        challenges = backend.appendingPathComponent("challenges")
        enrolments = backend.appendingPathComponent("enrolments")
        tokens = backend.appendingPathComponent("tokens")
        secrets = backend.appendingPathComponent("secrets")
        appVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String ?? "0"
        let system = ProcessInfo.processInfo.operatingSystemVersion
        systemVersion = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
        installation = { Configuration.installationMark() }
    }

    /// A mark in the user defaults, which a reinstallation removes while Keychain items stay.
    ///
    /// - Parameter appGroup: the group that the app shares with its extensions; nil for the app's own defaults.
    public static func installationMark(appGroup: String? = nil) -> String {
        let name = "assay-client.installation"
        let defaults = appGroup.flatMap { UserDefaults(suiteName: $0) } ?? .standard
        if let mark = defaults.string(forKey: name) { return mark }
        let mark = UUID().uuidString
        defaults.set(mark, forKey: name)
        return mark
    }

    /// - Throws: ``AssayClientError/Code/configuration``.
    func check() throws(AssayClientError) {
        let endpoints = [
            ("challenges", challenges), ("enrolments", enrolments), ("tokens", tokens), ("secrets", secrets),
        ]
        for (name, url) in endpoints {
            guard let url = try? RequestTarget.normalised(url), RequestTarget.isProtected(url) else {
                throw AssayClientError(.configuration, "`\(name)` must be a URL with https, or http of this machine")
            }
        }
        for (name, text) in [("appVersion", appVersion), ("systemVersion", systemVersion)] {
            guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
                throw AssayClientError(.configuration, "`\(name)` must have 1 to 64 printable ASCII characters")
            }
        }
        for field in coveredFields
        where field != field.lowercased() || !ServerAnswer.isWord(field) || field == "content-digest" {
            throw AssayClientError(
                .configuration, "`coveredFields` has `\(field)`: name fields in lower case, and not content-digest")
        }
        guard keysADay > 0 else { throw AssayClientError(.configuration, "`keysADay` must be at least 1") }
        if let named = pinning?.current.app, !named.isSame(as: app) {
            throw AssayClientError(.configuration, "`pinning` is for the app `\(named)`, and `app` is `\(app)`")
        }
    }
}

/// What happened, for the app's telemetry. No event has a token, a key, a challenge, an account or a URL.
public enum ClientEvent: Sendable, Equatable {
    /// The enrolment is so far, or the server has ended it with a remedy.
    case phase(String, halt: String?)
    /// A call of the platform or of the backend ended: its name, how long it took, and its failure; nil for none.
    case call(String, milliseconds: Int, failure: String?)
    /// A request ended: after how many signatures, how long it took, and its failure; nil for a judged one.
    case request(signatures: Int, milliseconds: Int, failure: String?)
    /// A signed configuration came: its version, or why it does not count.
    case configuration(version: Int?, refused: String?)
}

/// Time for the kit. Tests have one of their own.
public protocol ClientClock: Sendable {
    /// Milliseconds since 1970 by the device's clock, which may jump.
    var now: Int { get }
    /// Returns after this time, or throws when the task is cancelled.
    func sleep(milliseconds: Int) async throws
}

/// The device's clock.
public struct SystemClock: ClientClock {
    /// The device's clock.
    public init() {}
    /// Milliseconds since 1970.
    public var now: Int { Int((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
    /// Sleeps.
    public func sleep(milliseconds: Int) async throws {
        try await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
    }
}
