import AssayCore
package import FoundationEssentials

/// The payload of an integrity token to mint. The initial values are those of a genuine app and device; replace or
/// remove any field.
///
///     var payload = PlayIntegrityPayloadBlueprint(
///         classic: nonce, packageName: "com.example.shop", certificateDigests: [digest], issuedAt: Date())
///     payload["deviceIntegrity.deviceAttributes.sdkVersion"] = 30
///     payload["deviceIntegrity.deviceRecognitionVerdict"] = nil        // the server must reject this
public struct PlayIntegrityPayloadBlueprint: Sendable, Equatable {
    /// The whole payload.
    package var json: JSONItem

    /// The payload of a classic token. `nonce` is decoded, `certificateDigests` are SHA-256 of 32 bytes each, and
    /// `issuedAt` is written in whole milliseconds.
    package init(
        classic nonce: [UInt8], packageName: String, certificateDigests: [[UInt8]], versionCode: Int64 = 42,
        issuedAt: Date
    ) {
        json = Self.android(packageName, certificateDigests, versionCode)
        self[.nonce] = .text(Base64URL.text(nonce))
        self[.timestampMillis] = Self.milliseconds(issuedAt)
    }

    /// The payload of a standard token. `requestHash` is the app's text; other parameters as for a classic token.
    package init(
        standard requestHash: String, packageName: String, certificateDigests: [[UInt8]], versionCode: Int64 = 42,
        issuedAt: Date
    ) {
        json = Self.android(packageName, certificateDigests, versionCode)
        self[.timestampMillis] = Self.milliseconds(issuedAt)
        self[.requestHash] = .text(requestHash)
    }

    /// The payload of a token of Google Play Games on PC. `issuedAt` is written in whole milliseconds.
    package init(pc requestHash: String, packageName: String, issuedAt: Date) {
        json = [
            "requestDetails": [
                "requestPackageName": .text(packageName), "requestTime": .text(RFC3339.format(issuedAt)),
                "requestHash": .text(requestHash),
            ],
            "deviceIntegrity": ["deviceRecognitionVerdict": ["MEETS_PC_INTEGRITY"]],
        ]
    }

    /// A field; nil if absent. Setting nil removes it; setting `[:]` writes an empty block.
    public subscript(field: PlayIntegrityField) -> JSONItem? {
        get { json[path: field.path] }
        set { json[path: field.path] = newValue }
    }

    /// Encodes a time as tokens do: whole milliseconds since 1970, as text.
    package static func milliseconds(_ time: Date) -> JSONItem {
        .text(String(Int64((time.timeIntervalSince1970 * 1000).rounded())))
    }

    /// The JSON text in UTF-8. Equal fields give equal bytes.
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
