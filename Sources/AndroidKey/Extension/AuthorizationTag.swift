import AssayCore

/// A tag of an authorization list, as Android documents it (AOSP, hardware/interfaces/security/keymint, Tag.aidl; Android
/// documentation, "Verify hardware-backed key pairs with key attestation", schema).
package struct AuthorizationTag: Sendable {
    /// The type of a tag's value.
    package enum Form: Sendable {
        /// SET OF INTEGER.
        case integers
        case integer
        /// NULL: the tag is there or not.
        case null
        /// OCTET STRING.
        case octets
        case rootOfTrust
    }

    let number: UInt32
    package let name: String
    package let form: Form
    /// What it means, for people.
    package let meaning: String

    private init(_ number: UInt32, _ name: String, _ form: Form, _ meaning: String) {
        self.number = number
        self.name = name
        self.form = form
        self.meaning = meaning
    }

    static let purpose: UInt32 = 1
    static let algorithm: UInt32 = 2
    static let keySize: UInt32 = 3
    static let ecCurve: UInt32 = 10
    static let rollbackResistance: UInt32 = 303
    static let noAuthRequired: UInt32 = 503
    static let userAuthType: UInt32 = 504
    static let allApplications: UInt32 = 600
    static let creationDateTime: UInt32 = 701
    static let origin: UInt32 = 702
    static let rollbackResistant: UInt32 = 703
    static let rootOfTrust: UInt32 = 704
    static let osVersion: UInt32 = 705
    static let osPatchLevel: UInt32 = 706
    package static let attestationApplicationID: UInt32 = 709
    static let vendorPatchLevel: UInt32 = 718
    static let bootPatchLevel: UInt32 = 719
    static let moduleHash: UInt32 = 724
    /// The tags that name the device: brand to model, IMEI and serial number.
    static let deviceIdentity: [UInt32] = [710, 711, 712, 713, 714, 715, 716, 717, 723]

    /// Those of them that name one device, and not a model: serial number, IMEI, MEID and second IMEI.
    static let uniqueIdentity: [UInt32] = [713, 714, 715, 723]

    /// The known tags, ascending.
    static let known: [AuthorizationTag] = [
        AuthorizationTag(1, "purpose", .integers, "what the key may be used for"),
        AuthorizationTag(2, "algorithm", .integer, "the algorithm of the key"),
        AuthorizationTag(3, "keySize", .integer, "the size of the key in bits"),
        AuthorizationTag(4, "blockMode", .integers, "the modes of block ciphers that are allowed"),
        AuthorizationTag(5, "digest", .integers, "the digests that are allowed"),
        AuthorizationTag(6, "padding", .integers, "the paddings that are allowed"),
        AuthorizationTag(7, "callerNonce", .null, "the caller may choose nonces"),
        AuthorizationTag(8, "minMacLength", .integer, "the shortest MAC in bits"),
        AuthorizationTag(10, "ecCurve", .integer, "the curve of the key"),
        AuthorizationTag(11, "mlDsaVariant", .integer, "the variant of ML-DSA"),
        AuthorizationTag(200, "rsaPublicExponent", .integer, "the public exponent of an RSA key"),
        AuthorizationTag(203, "rsaOaepMgfDigest", .integers, "the digests that MGF1 may use"),
        AuthorizationTag(303, "rollbackResistance", .null, "deleting the key is final"),
        AuthorizationTag(305, "earlyBootOnly", .null, "the key works only early in the boot"),
        AuthorizationTag(400, "activeDateTime", .integer, "the time from which the key works, ms since 1970"),
        AuthorizationTag(
            401, "originationExpireDateTime", .integer, "the time until which the key signs, ms since 1970"),
        AuthorizationTag(402, "usageExpireDateTime", .integer, "the time until which the key verifies, ms since 1970"),
        AuthorizationTag(405, "usageCountLimit", .integer, "how often the key may be used"),
        AuthorizationTag(502, "userSecureId", .integer, "the users who may use the key"),
        AuthorizationTag(503, "noAuthRequired", .null, "the user need not authenticate"),
        AuthorizationTag(504, "userAuthType", .integer, "how the user must authenticate"),
        AuthorizationTag(505, "authTimeout", .integer, "how long an authentication holds, in seconds"),
        AuthorizationTag(506, "allowWhileOnBody", .null, "an authentication holds while the device is worn"),
        AuthorizationTag(507, "trustedUserPresenceRequired", .null, "each use needs a person at the device"),
        AuthorizationTag(
            508, "trustedConfirmationRequired", .null, "each use needs a confirmation on a trusted display"),
        AuthorizationTag(509, "unlockedDeviceRequired", .null, "the key works only while the screen is unlocked"),
        AuthorizationTag(600, "allApplications", .null, "every app may use the key"),
        AuthorizationTag(601, "applicationId", .octets, "the app that may use the key"),
        AuthorizationTag(701, "creationDateTime", .integer, "when the key was made, ms since 1970"),
        AuthorizationTag(702, "origin", .integer, "where the key comes from"),
        AuthorizationTag(703, "rollbackResistant", .null, "deleting the key is final, as versions 1 and 2 say it"),
        AuthorizationTag(704, "rootOfTrust", .rootOfTrust, "what the device booted"),
        AuthorizationTag(705, "osVersion", .integer, "the version of Android: 160000 is 16.0.0"),
        AuthorizationTag(706, "osPatchLevel", .integer, "the security patch level of the system, YYYYMM"),
        AuthorizationTag(709, "attestationApplicationId", .octets, "the app that made the key, as the system says"),
        AuthorizationTag(710, "attestationIdBrand", .octets, "the brand of the device"),
        AuthorizationTag(711, "attestationIdDevice", .octets, "the device"),
        AuthorizationTag(712, "attestationIdProduct", .octets, "the product"),
        AuthorizationTag(713, "attestationIdSerial", .octets, "the serial number of the device"),
        AuthorizationTag(714, "attestationIdImei", .octets, "the IMEI of the device"),
        AuthorizationTag(715, "attestationIdMeid", .octets, "the MEID of the device"),
        AuthorizationTag(716, "attestationIdManufacturer", .octets, "the manufacturer"),
        AuthorizationTag(717, "attestationIdModel", .octets, "the model"),
        AuthorizationTag(718, "vendorPatchLevel", .integer, "the security patch level of the vendor's image, YYYYMMDD"),
        AuthorizationTag(719, "bootPatchLevel", .integer, "the security patch level of the boot image, YYYYMMDD"),
        AuthorizationTag(720, "deviceUniqueAttestation", .null, "the attestation key is of this device alone"),
        AuthorizationTag(723, "attestationIdSecondImei", .octets, "the second IMEI of the device"),
        AuthorizationTag(724, "moduleHash", .octets, "SHA-256 of the modules of the system"),
    ]

    package static func known(_ number: UInt32) -> AuthorizationTag? { index(of: number).map { known[$0] } }

    /// The type of the value of a known tag, without a copy of its texts.
    static func form(of number: UInt32) -> Form? { index(of: number).map { known[$0].form } }

    private static func index(of number: UInt32) -> Int? {
        number < places.count ? places[Int(number)] : nil
    }

    /// The place in ``known`` of each number.
    private static let places: [Int?] = {
        var places = [Int?](repeating: nil, count: 1 + Int(known.last?.number ?? 0))
        for (index, tag) in known.enumerated() { places[Int(tag.number)] = index }
        return places
    }()
}
