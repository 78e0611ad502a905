import AssayCore

/// What the boot loader says about the system that it started: RootOfTrust of the key attestation extension.
struct RootOfTrust: Sendable {
    /// SHA-256 of the key that verified the system, zeros or nothing on some devices.
    let verifiedBootKey: ArraySlice<UInt8>
    let deviceLocked: Bool
    let verifiedBootState: VerifiedBootState
    /// The digest of everything that verified boot covers; nil before version 3.
    let verifiedBootHash: ArraySlice<UInt8>?

    init(_ element: DERElement) throws(DecodeError) {
        var reader = element.reader
        verifiedBootKey = try reader.readContents(.octetString)
        deviceLocked = try Self.lock(reader.read(.boolean))
        let state = try reader.read(.enumerated)
        guard let value = VerifiedBootState(number: try state.enumerated()) else {
            throw DecodeError(
                .unexpectedValue, at: state.bytes.startIndex, field: "verifiedBootState",
                "there is no verified boot state \(state.contents.first ?? 0)")
        }
        verifiedBootState = value
        verifiedBootHash = reader.isAtEnd ? nil : try reader.readContents(.octetString)
        try reader.finish()
    }

    /// Reads the lock state. The StrongBox of the Pixel 3 writes 01 for true, which BER allows.
    private static func lock(_ element: DERElement) throws(DecodeError) -> Bool {
        if element.contents.elementsEqual([0x01]) { return true }
        do { return try element.boolean() } catch { throw error.within("deviceLocked") }
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
