/// Limits of an ``AppleServicesClient``.
public struct AppleServicesSettings: Sendable {
    /// The servers of App Attest and DeviceCheck: Apple's, a proxy, or those of a test.
    package var appAttest = ServerURL.appAttest
    package var appAttestDevelopment = ServerURL.appAttestDevelopment
    package var deviceCheck = ServerURL.deviceCheck
    package var deviceCheckDevelopment = ServerURL.deviceCheckDevelopment
    /// The time limit of a request.
    public var requestTime = Duration.seconds(10)
    package var connectTime = Duration.seconds(3)
    /// The most requests a second to each service, on average. Apple publishes no limit.
    public var requestRate = 10.0
    /// The number of consecutive server failures that stops requests to a service for a while.
    public var circuitThreshold = 5
    /// How long requests are stopped then.
    public var circuitPause = Duration.seconds(60)
    /// How long a token is used. Apple refuses tokens after an hour, and more than one in 20 minutes.
    package var tokenTime = Duration.seconds(45 * 60)
    /// How long a key is not used after Apple has refused two tokens of it.
    package var keyPause = Duration.seconds(3600)

    /// The defaults.
    public init() {}
}
