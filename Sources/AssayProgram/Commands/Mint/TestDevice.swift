import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// A test phone and what stands behind it: its keys, the authority that attests them, a test Google and an Approov account. All keys
/// derive from one seed in its file, which also keeps what a phone remembers.
struct TestDevice: Equatable {
    /// The issuer that tokens of the test account of Approov name: a policy accepts them by `issuers`.
    static let approovIssuer = "assay-test"
    private static let members = [
        "testDeviceSeed", "createdAt", "appID", "counter", "packageName", "certificateDigest", "authoritySeed",
        "authorityCreatedAt",
    ]

    /// 32 random bytes, hexadecimal.
    let seed: String
    /// The creation time of the device.
    let createdAt: Date
    /// The App ID of its app; nil until one is given.
    var appID: String?
    /// The counter of its last assertion.
    var counter: UInt32 = 0
    /// The package name of its app; nil until one is given.
    var packageName: String?
    /// SHA-256 of the certificate that signs this app, hexadecimal; nil until one is given.
    var certificateDigest: String?
    /// The seed of the device whose authority attests this one too; nil for an authority of its own.
    private var authoritySeed: String?
    /// The creation time of that device.
    private var authorityCreatedAt: Date?

    init(createdAt: Date) {
        seed = Self.random(32).hexadecimal
        self.createdAt = createdAt
    }

    /// Reads the contents of a device file.
    init(_ contents: [UInt8]) throws {
        let fields = RecordFields(try JSONReader.readObject(contents, limit: 4096), path: "")
        try fields.requireOnly(Self.members)
        guard let seed = try fields.text("testDeviceSeed"), seed.utf8.count == 64,
            let time = try fields.text("createdAt").flatMap(RFC3339.parse)
        else { throw fields.missing("testDeviceSeed") }
        (self.seed, createdAt) = (seed, time)
        appID = try fields.text("appID")
        packageName = try fields.text("packageName")
        certificateDigest = try fields.text("certificateDigest")
        authoritySeed = try fields.text("authoritySeed")
        authorityCreatedAt = try fields.text("authorityCreatedAt").flatMap(RFC3339.parse)
        guard let counter = fields["counter"] else { return }
        guard case .number(let text) = counter.content, let number = UInt32(text) else {
            throw fields.error("counter", "expected a number of 32 bits")
        }
        self.counter = number
    }

    /// The contents of the file.
    var text: String {
        JSONObject([
            "testDeviceSeed": seed, "createdAt": createdAt, "appID": appID, "counter": counter > 0 ? counter : nil,
            "packageName": packageName, "certificateDigest": certificateDigest, "authoritySeed": authoritySeed,
            "authorityCreatedAt": authorityCreatedAt,
        ]).text + "\n"
    }

    /// Random bytes of the system.
    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

// MARK: Keys

extension TestDevice {
    /// Authorities become valid two days before the device is created.
    private var authoritySince: Date { (authorityCreatedAt ?? createdAt).addingTimeInterval(-2 * 86_400) }

    /// Has the authority of another device attest this one.
    mutating func share(authorityOf other: TestDevice) {
        authoritySeed = other.authoritySeed ?? other.seed
        authorityCreatedAt = other.authorityCreatedAt ?? other.createdAt
    }

    /// The key of App Attest.
    var key: AttestedKey { AttestedKey(seed: seed, label: "device") }

    /// The authority in place of Apple.
    func authority() throws(MintingError) -> TestAuthority {
        try TestAuthority(seed: authoritySeed ?? seed, notBefore: authoritySince)
    }

    /// The key of Android's key store.
    func androidKey(isRSA: Bool) throws(MintingError) -> AndroidAttestedKey {
        try AndroidAttestedKey(isRSA ? .rsa2048 : .p256, seed: seed, label: "device")
    }

    /// The authority in place of Google's for attested keys.
    func androidAuthority() throws(MintingError) -> AndroidKeyTestAuthority {
        try AndroidKeyTestAuthority(seed: authoritySeed ?? seed, notBefore: authoritySince)
    }

    /// The keys of classic integrity tokens, in place of those of the Play Console.
    var integrityKeys: PlayIntegrityTestKeys { PlayIntegrityTestKeys(seed: seed, label: "device") }

    /// The account of Approov.
    func approovKeys() throws(MintingError) -> ApproovTestKeys { try ApproovTestKeys(seed: seed, label: "device") }

    /// The device ID in Approov's tokens: base64 of 16 bytes.
    var approovDeviceID: String {
        Base64.encode(TestBytes(seed: seed)("approov/device-id", count: 16), .standard)
    }
}
