import AssayCore

/// What the boot loader says about the system that it started: RootOfTrust of the key attestation extension.
struct RootOfTrust: Sendable {
    /// SHA-256 of the key that verified the system, zeros or nothing on some devices.
    let verifiedBootKey: ArraySlice<UInt8>
    let deviceLocked: Bool
    let verifiedBootState: VerifiedBootState
    /// The digest of everything that verified boot covers; nil before version 3.
    let verifiedBootHash: ArraySlice<UInt8>?

    /// Reads the one value in contents that a scanner of `input` found.
    init(_ contents: DERScanner, of input: ArraySlice<UInt8>) throws(DecodeError) {
        let bytes = input.span
        var reader = try contents.only(.sequence, in: bytes)
        verifiedBootKey = input[try reader.readContents(.octetString, in: bytes).indices]
        deviceLocked = try Self.lock(reader.readContents(.boolean, in: bytes), bytes)
        let state = try reader.read(.enumerated, in: bytes)
        let number = try state.contents.enumerated(in: bytes)
        guard let value = VerifiedBootState(number: number) else {
            throw DecodeError(
                .unexpectedValue, at: state.offset, field: "verifiedBootState",
                "there is no verified boot state \(number)")
        }
        verifiedBootState = value
        verifiedBootHash = reader.isAtEnd ? nil : input[try reader.readContents(.octetString, in: bytes).indices]
        try reader.finish()
    }

    /// Reads the lock state. The StrongBox of the Pixel 3 writes 01 for true, which BER allows.
    private static func lock(_ contents: DERScanner, _ bytes: Span<UInt8>) throws(DecodeError) -> Bool {
        if contents.onlyByte(in: bytes) == 0x01 { return true }
        do { return try contents.boolean(in: bytes) } catch { throw error.within("deviceLocked") }
    }
}

/// The result of verified boot (Android documentation, "Verified Boot").
@nonexhaustive
public enum VerifiedBootState: String, Sendable, CaseIterable {
    /// The maker's key verified the system.
    case verified
    /// A key that the user installed verified it.
    case selfSigned
    /// Nothing verified it: the boot loader is unlocked.
    case unverified
    case failed

    init?(number: UInt8) {
        switch number {
        case 0: self = .verified
        case 1: self = .selfSigned
        case 2: self = .unverified
        case 3: self = .failed
        default: return nil
        }
    }
}
