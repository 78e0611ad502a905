import AssayCore
package import FoundationEssentials

/// The payload of an integrity token to be minted. As initialised it is that of a genuine app on a genuine device; each
/// field can be replaced by any value, or left out.
///
///     var payload = PlayIntegrityPayloadBlueprint(
///         classic: nonce, packageName: "com.example.shop", certificateDigests: [digest], issuedAt: Date())
///     payload["deviceIntegrity.deviceAttributes.sdkVersion"] = 30
///     payload["deviceIntegrity.deviceRecognitionVerdict"] = nil        // what the server must refuse
public struct PlayIntegrityPayloadBlueprint: Sendable, Equatable {
    /// The whole payload.
    package var json: JSONItem

    /// The payload of a classic token.
    ///
    /// - Parameters:
    ///   - nonce: The bytes that the app's nonce stands for.
    ///   - certificateDigests: SHA-256 digests of the app's signing certificates, 32 bytes each.
    ///   - issuedAt: The time of the request, to the millisecond.
    package init(
        classic nonce: [UInt8], packageName: String, certificateDigests: [[UInt8]], versionCode: Int64 = 42,
        issuedAt: Date
    ) {
        json = Self.android(packageName, certificateDigests, versionCode)
        self[.nonce] = .text(Base64URL.text(nonce))
        self[.timestampMillis] = Self.milliseconds(issuedAt)
    }

    /// The payload of a standard token. Other parameters as of a classic one.
    ///
    /// - Parameter requestHash: The text that the app handed over.
    package init(
        standard requestHash: String, packageName: String, certificateDigests: [[UInt8]], versionCode: Int64 = 42,
        issuedAt: Date
    ) {
        json = Self.android(packageName, certificateDigests, versionCode)
        self[.timestampMillis] = Self.milliseconds(issuedAt)
        self[.requestHash] = .text(requestHash)
    }

    /// The payload of a token of Google Play Games on PC.
    ///
    /// - Parameters:
    ///   - requestHash: The text that the game handed over.
    ///   - issuedAt: The time of the request, which is written to the millisecond.
    package init(pc requestHash: String, packageName: String, issuedAt: Date) {
        json = [
            "requestDetails": [
                "requestPackageName": .text(packageName), "requestTime": .text(RFC3339.format(issuedAt)),
                "requestHash": .text(requestHash),
            ],
            "deviceIntegrity": ["deviceRecognitionVerdict": ["MEETS_PC_INTEGRITY"]],
        ]
    }

    /// A field: nil when it is not there. Setting nil leaves it out, and setting `[:]` makes an empty block.
    public subscript(field: PlayIntegrityField) -> JSONItem? {
        get { json[path: field.path] }
        set { json[path: field.path] = newValue }
    }

    /// A time as tokens carry it: the whole milliseconds since 1970, as text.
    package static func milliseconds(_ time: Date) -> JSONItem {
        .text(String(Int64((time.timeIntervalSince1970 * 1000).rounded())))
    }

    /// The JSON text in UTF-8, always the same for the same fields.
    package var encoded: [UInt8] { json.encoded }

    private static func android(_ packageName: String, _ digests: [[UInt8]], _ versionCode: Int64) -> JSONItem {
        [
            "requestDetails": ["requestPackageName": .text(packageName)],
            "appIntegrity": [
                "appRecognitionVerdict": "PLAY_RECOGNIZED", "packageName": .text(packageName),
                "certificateSha256Digest": .array(digests.map { .text(Base64URL.text($0)) }),
                "versionCode": .text(String(versionCode)),
            ],
            "deviceIntegrity": [
                "deviceRecognitionVerdict": [
                    "MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY",
                ],
                "recentDeviceActivity": ["deviceActivityLevel": "LEVEL_1"],
                "deviceAttributes": ["sdkVersion": 36],
            ],
            "accountDetails": ["appLicensingVerdict": "LICENSED"],
            "environmentDetails": [
                "appAccessRiskVerdict": ["appsDetected": ["KNOWN_INSTALLED"]], "playProtectVerdict": "NO_ISSUES",
            ],
        ]
    }
}
