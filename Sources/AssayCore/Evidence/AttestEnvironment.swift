/// The environment of Apple's App Attest service that a key belongs to.
public enum AttestEnvironment: String, Sendable, CaseIterable {
    /// TestFlight, App Store and enterprise builds.
    case production
    /// Builds from Xcode.
    case development
}
