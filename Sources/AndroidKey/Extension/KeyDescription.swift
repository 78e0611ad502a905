import AssayCore
package import AssayPrimitives

/// What the keystore certifies about a key: KeyDescription, extension 1.3.6.1.4.1.11129.2.1.17 (Android documentation, "Verify
/// hardware-backed key pairs with key attestation", schema; versions 1 to 500, later ones are read as 500).
package final class KeyDescription: Sendable {
    /// The identifier of the extension.
    package static let oid = ObjectIdentifier(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17)

    /// The version of the attestation: 1 on Android 7 to 500 on Android 17.
    let attestationVersion: UInt64
    /// Where the attestation was made.
    let attestationSecurityLevel: KeySecurityLevel
    let keyMintVersion: UInt64
    /// Where the key is kept.
    let keyMintSecurityLevel: KeySecurityLevel
    /// The challenge that the app gave.
    package let challenge: ArraySlice<UInt8>
    /// An identifier of the device that only system apps get.
    let uniqueID: ArraySlice<UInt8>
    /// What the operating system claims or enforces.
    let softwareEnforced: AuthorizationList
    let hardwareEnforced: AuthorizationList
    /// The app that made the key, as the operating system says; nil if it says none.
    let applicationID: AttestationApplicationID?

    package init(_ value: ArraySlice<UInt8>) throws(DecodeError) {
        let bytes = value.span
        var reader = try DERScanner(value).only(.sequence, in: bytes)
        attestationVersion = try Self.part("attestationVersion") { () throws(DecodeError) in
            try reader.readContents(.integer, in: bytes).unsignedInteger(in: bytes)
        }
        attestationSecurityLevel = try Self.part("attestationSecurityLevel") { () throws(DecodeError) in
            try KeySecurityLevel(reader.read(.enumerated, in: bytes), bytes)
        }
        keyMintVersion = try Self.part("keyMintVersion") { () throws(DecodeError) in
            try reader.readContents(.integer, in: bytes).unsignedInteger(in: bytes)
        }
        keyMintSecurityLevel = try Self.part("keyMintSecurityLevel") { () throws(DecodeError) in
            try KeySecurityLevel(reader.read(.enumerated, in: bytes), bytes)
        }
        challenge = try Self.part("attestationChallenge") { () throws(DecodeError) in
            value[try reader.readContents(.octetString, in: bytes).indices]
        }
        uniqueID = try Self.part("uniqueId") { () throws(DecodeError) in
            value[try reader.readContents(.octetString, in: bytes).indices]
        }
        let software = try Self.part("softwareEnforced") { () throws(DecodeError) in
            try AuthorizationList(reader.readContents(.sequence, in: bytes), of: value)
        }
        hardwareEnforced = try Self.part("hardwareEnforced") { () throws(DecodeError) in
            try AuthorizationList(reader.readContents(.sequence, in: bytes), of: value)
        }
        try reader.finish()
        softwareEnforced = software
        applicationID = try Self.part("softwareEnforced.attestationApplicationId") { () throws(DecodeError) in
            guard let bytes = software.octets(AuthorizationTag.attestationApplicationID) else { return nil }
            return try AttestationApplicationID(bytes)
        }
        guard attestationVersion > 0 else {
            throw DecodeError(
                .unexpectedValue, at: value.startIndex, field: "attestationVersion", "there is no version 0")
        }
    }

    private static func part<Value>(
        _ field: String, _ body: () throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value {
        do { return try body() } catch { throw error.within(field) }
    }

    /// Whether it has an identifier of one device, or a tag that this version does not know and that may be one.
    package var namesDevice: Bool {
        !uniqueID.isEmpty
            || (softwareEnforced.entries + hardwareEnforced.entries).contains { entry in
                AuthorizationTag.uniqueIdentity.contains(entry.tag) || AuthorizationTag.known(entry.tag) == nil
            }
    }

    /// When the key was made, in milliseconds since 1970: as the hardware says, or else as the system says.
    var creationTime: UInt64? {
        hardwareEnforced.integer(AuthorizationTag.creationDateTime)
            ?? softwareEnforced.integer(AuthorizationTag.creationDateTime)
    }
}

/// Where a key is kept, or an attestation was made.
@nonexhaustive
public enum KeySecurityLevel: String, Sendable, CaseIterable, Comparable {
    /// In the operating system, which proves nothing.
    case software
    /// In the trusted execution environment of the processor.
    case trustedEnvironment
    /// In a chip of its own.
    case strongBox

    init(_ element: DERScanner.Element, _ bytes: Span<UInt8>) throws(DecodeError) {
        switch try element.contents.enumerated(in: bytes) {
        case 0: self = .software
        case 1: self = .trustedEnvironment
        case 2: self = .strongBox
        case let number:
            throw DecodeError(
                .unexpectedValue, at: element.offset, "there is no security level \(number)")
        }
    }

    /// Whether `left` is weaker.
    public static func < (left: KeySecurityLevel, right: KeySecurityLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .software: 0
        case .trustedEnvironment: 1
        case .strongBox: 2
        }
    }
}

/// Where a key comes from (tag 702).
@nonexhaustive
public enum KeyOrigin: String, Sendable, CaseIterable {
    /// The keystore made it.
    case generated
    /// The keystore derived it from another secret.
    case derived
    /// It was made elsewhere.
    case imported
    /// It was made elsewhere, and imported without the operating system seeing it.
    case securelyImported

    init?(number: UInt64) {
        switch number {
        case 0: self = .generated
        case 1: self = .derived
        case 2: self = .imported
        case 4: self = .securelyImported
        default: return nil
        }
    }
}

/// The app that made a key, as the system says: AttestationApplicationId, DER inside of tag 709.
struct AttestationApplicationID: Sendable {
    /// An app. Apps that share a user ID are all listed.
    struct Package: Sendable {
        /// The package name, UTF-8 by convention.
        let name: ArraySlice<UInt8>
        let version: UInt64
    }

    let packages: [Package]
    /// The SHA-256 digests of their signing certificates.
    let certificateDigests: [ArraySlice<UInt8>]

    init(_ input: ArraySlice<UInt8>) throws(DecodeError) {
        let bytes = input.span
        var reader = try DERScanner(input).only(.sequence, in: bytes)
        var set = try reader.readContents(.set, in: bytes)
        var packages: [Package] = []
        while !set.isAtEnd {
            var package = try set.readContents(.sequence, in: bytes)
            let name = input[try package.readContents(.octetString, in: bytes).indices]
            let version = try package.readContents(.integer, in: bytes).unsignedInteger(in: bytes)
            packages.append(Package(name: name, version: version))
            try package.finish()
        }
        set = try reader.readContents(.set, in: bytes)
        var digests: [ArraySlice<UInt8>] = []
        while !set.isAtEnd { digests.append(input[try set.readContents(.octetString, in: bytes).indices]) }
        try reader.finish()
        self.packages = packages
        certificateDigests = digests
    }
}
