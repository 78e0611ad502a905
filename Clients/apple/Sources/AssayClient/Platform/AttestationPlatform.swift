import Foundation

/// What the kit needs of the platform: App Attest, or a software attester in tests.
public protocol AttestationPlatform: Sendable {
    /// Why this device, system or process cannot attest; nil if it can.
    var unsupported: ClientModel.Unsupported? { get }

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

    /// Signs with an attested key.
    ///
    /// - Parameters:
    ///   - keyID: as ``generateKey()`` returned it.
    ///   - clientDataHash: 32 bytes.
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

    /// - Parameters:
    ///   - kind: what it means for the enrolment.
    ///   - code: 1 to 64 characters of `A-Z a-z 0-9 : . _ -`.
    public init(_ kind: PlatformClass, code: String) {
        self.kind = kind
        self.code = code
    }
}
