public import FoundationEssentials

/// The claims of an Approov token to be minted. As initialised they are those of a genuine one; each can be replaced by
/// any value, or left out.
///
///     var claims = ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 300))
///     claims.bind(to: ["Bearer myauth_token"])
///     claims["anno"] = ["rooted"]
///     claims["did"] = nil
public struct ApproovClaimsBlueprint: Sendable, Equatable {
    /// The claims in their order.
    package var json: JSONItem

    /// The device ID of example tokens. It is the vendor's, whose last character has bits that belong to no byte.
    package static let exampleDeviceID = "ExampleApproovTokenDID=="

    /// Composes any claims.
    package init(json: JSONItem) { self.json = json }

    /// The claims of a token that an app gets.
    ///
    /// - Parameters:
    ///   - expiresAt: written in whole seconds, or with a fraction where there is one.
    ///   - deviceID: base64 of 16 bytes.
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

    /// The claims of a token of the failover service: nothing but the time.
    public static func failover(expiresAt: Date) -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(json: ["exp": seconds(expiresAt)])
    }

    /// The claims of the long-lived token of a server.
    public static func longLived(issuer: String, expiresAt: Date) -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(json: ["exp": seconds(expiresAt), "iss": .text(issuer)])
    }

    /// A claim: nil when it is not there. Setting nil leaves it out.
    public subscript(claim: ApproovClaim) -> JSONItem? {
        get { json[claim.name] }
        set { json[claim.name] = newValue }
    }

    /// Binds the token to some values: their SHA-256 digest as one text, without white space around each.
    public mutating func bind(to values: [String]) {
        let bound = values.flatMap { value in
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
            return Array(value.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        }
        self[.binding] = Self.base64(sha256(bound))
    }

    /// Adds what installations and accounts sign messages with.
    public mutating func allowMessages(with keys: ApproovTestKeys) {
        self[.installationKey] = Self.base64(keys.installationPublicKey)
        self[.messageKeyID] = .text(keys.messageKeyID)
    }

    /// Adds measurements, as in tokens that an app asks for with `?measurement`.
    public mutating func measure(_ measurements: ApproovTestMeasurements) {
        for (claim, bytes) in measurements.claims { self[claim] = Self.base64(bytes) }
    }

    /// Bytes as tokens carry them: standard base64 with padding.
    package static func base64(_ bytes: [UInt8]) -> JSONItem { .text(Data(bytes).base64EncodedString()) }

    /// A time as tokens carry it: the seconds since 1970.
    package static func seconds(_ time: Date) -> JSONItem {
        let seconds = time.timeIntervalSince1970
        return seconds == seconds.rounded() ? .number("\(Int64(seconds))") : .number("\(seconds)")
    }

    /// The JSON text in UTF-8, always the same for the same claims.
    package var encoded: [UInt8] { json.encoded }
}
