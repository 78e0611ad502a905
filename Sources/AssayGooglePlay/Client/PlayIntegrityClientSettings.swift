/// How a ``PlayIntegrityClient`` calls. The defaults suit a backend that has a person waiting.
public struct PlayIntegrityClientSettings: Sendable, Equatable {
    /// The server of the API; another one for tests.
    public var baseURL = ServerURL.playIntegrity
    /// How long a call may take, with everything that it needs: an access token, attempts, the waits between them.
    public var deadline = Duration.seconds(15)
    /// How long one attempt may take.
    public var attemptTime = Duration.seconds(5)
    /// How often a call is attempted, at least once.
    public var attempts = 4
    /// The longest wait before the second attempt. It doubles with each further one.
    public var backoffBase = Duration.milliseconds(200)
    /// The longest wait before any attempt, unless the server demands more.
    public var backoffCap = Duration.seconds(5)
    /// How many requests are sent for one app on one day at most, and nil for no limit but Google's, which is 10,000
    /// unless it was raised.
    public var dailyLimit: Int?
    /// How many calls in a row may fail on Google's side before none is tried for a while.
    public var circuitThreshold = 5
    /// For how long none is tried then.
    public var circuitPause = Duration.seconds(30)

    /// The defaults.
    public init() {}
}
