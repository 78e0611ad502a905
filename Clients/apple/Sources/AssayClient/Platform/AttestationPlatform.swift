import Foundation

/// What the kit needs of the platform: App Attest, or a software attester in tests.
public protocol AttestationPlatform: Sendable {
    /// Why this device, system or process cannot attest; nil if it can.
    var unsupported: UnsupportedReason? { get }

    /// Makes a key.
    ///
    /// - Returns: its name, 44 characters of base64.
    func generateKey() async throws(PlatformFailure) -> String

    /// Attests a key, once in its life.
    ///
    /// - Parameters:
    ///   - keyID: as ``generateKey()`` returned it.
    ///   - clientDataHash: 32 bytes.
    /// - Returns: the attestation object, CBOR.
    func attestKey(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data

    /// Signs with an attested key, with the parameters of ``attestKey(_:clientDataHash:)``.
    ///
    /// - Returns: the assertion, CBOR.
    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(PlatformFailure) -> Data

    /// A token of DeviceCheck for one use; nil if the device gives none.
    func deviceToken() async -> Data?
}

/// An error of the platform.
public struct PlatformFailure: Error, Sendable, Equatable {
    /// What it means for the enrolment.
    public let kind: PlatformClass
    /// The platform's error for telemetry and for the field `Assay-Evidence`: `dc:3`.
    public let code: String

    /// `code` has 1 to 64 characters of `A-Z a-z 0-9 : . _ -`.
    public init(_ kind: PlatformClass, code: String) {
        self.kind = kind
        self.code = code
    }
}

/// What an error of the platform means for the enrolment.
public enum PlatformClass: String, Sendable {
    /// The platform's server does not answer, or asks for a later attempt with the same key.
    case later
    /// The key is no more, or cannot be attested any more.
    case keyGone = "key-gone"
    /// The same call may succeed at once.
    case again
    /// This device, system or process cannot attest.
    case unsupported
    /// The device has not been unlocked since its start.
    case locked
    /// The kit called wrongly.
    case bug
}

/// Why this process cannot attest.
public struct UnsupportedReason: Sendable, Equatable {
    /// A token of the field `Assay-Evidence`: `unsupported`, `extension`.
    public let reason: String
    /// The platform's code; nil if it gave none.
    public let code: String?

    /// `code` has 1 to 64 characters of `A-Z a-z 0-9 : . _ -`.
    public init(reason: String, code: String? = nil) {
        self.reason = reason
        self.code = code
    }
}
