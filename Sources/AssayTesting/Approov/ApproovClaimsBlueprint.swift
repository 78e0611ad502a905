public import FoundationEssentials

/// The claims of an Approov token to mint. The initial values are genuine; replace or remove any claim.
///
///     var claims = ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 300))
///     claims.bind(to: ["Bearer myauth_token"])
///     claims["anno"] = ["rooted"]
///     claims["did"] = nil
public struct ApproovClaimsBlueprint: Sendable, Equatable {
    /// The claims in order.
    package var json: JSONItem

    /// The device ID of the vendor's example tokens. Its last base64 character has unused bits set.
    package static let exampleDeviceID = "ExampleApproovTokenDID=="

    package init(json: JSONItem) { self.json = json }

    /// The claims of a token that an app gets. `expiresAt` may have a fraction; `deviceID` is base64 of 16 bytes.
    public init(
        expiresAt: Date, deviceID: String = "h4gubfCFzJu81j/U2BJsdg==", address: String = "203.0.113.7",
        responseCode: String = "ABCDEF"
    ) {
        json = [
            "did": .text(deviceID), "exp": Self.seconds(expiresAt), "ip": .text(address), "arc": .text(responseCode),
        ]
    }

    /// The claims of an example token (Approov, Generating Example Tokens).
    package static func example(expiresAt: Date, deviceID: String = exampleDeviceID) -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(json: ["did": .text(deviceID), "exp": seconds(expiresAt), "ip": ""])
    }

    /// The claims of a failover token: the expiry alone.
    public static func failover(expiresAt: Date) -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(json: ["exp": seconds(expiresAt)])
    }

    /// The claims of a server's long-lived token.
    public static func longLived(issuer: String, expiresAt: Date) -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(json: ["exp": seconds(expiresAt), "iss": .text(issuer)])
    }

    /// A claim; nil if absent. Setting nil removes it.
    public subscript(claim: ApproovClaim) -> JSONItem? {
        get { json[claim.name] }
        set { json[claim.name] = newValue }
    }

    /// Binds the token to values: SHA-256 of their concatenation, each trimmed of white space.
    public mutating func bind(to values: [String]) {
        let bound = values.flatMap { value in
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            return Array(value.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        }
        self[.binding] = Self.base64(sha256(bound))
    }

    /// Adds the claims that message signing needs: `ipk` and `mskid`.
    public mutating func allowMessages(with keys: ApproovTestKeys) {
        self[.installationKey] = Self.base64(keys.installationPublicKey)
        self[.messageKeyID] = .text(keys.messageKeyID)
    }

    /// Adds measurements, as in tokens that an app requests with `?measurement`.
    public mutating func measure(_ measurements: ApproovTestMeasurements) {
        for (claim, bytes) in measurements.claims { self[claim] = Self.base64(bytes) }
    }

    /// Encodes bytes as tokens do: standard base64 with padding.
    package static func base64(_ bytes: [UInt8]) -> JSONItem { .text(Data(bytes).base64EncodedString()) }

    /// Encodes a time as tokens do: seconds since 1970.
    package static func seconds(_ time: Date) -> JSONItem {
        let seconds = time.timeIntervalSince1970
        return seconds == seconds.rounded() ? .number("\(Int64(seconds))") : .number("\(seconds)")
    }

    /// The JSON text in UTF-8. Equal claims give equal bytes.
    package var encoded: [UInt8] { json.encoded }
}
