import Foundation

/// A public key on P-256.
struct PublicPoint: Sendable {
    /// Uncompressed, 65 bytes.
    let bytes: Data

    private var x: String { Data(bytes.dropFirst().prefix(32)).base64URL }
    private var y: String { Data(bytes.suffix(32)).base64URL }

    /// The members of the JSON Web Key.
    var members: [String: String] { ["crv": "P-256", "kty": "EC", "x": x, "y": y] }
    /// The JSON Web Key with its members in the order of RFC 7638.
    var jwk: String { #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"# }
    /// The thumbprint (RFC 7638), base64url.
    var thumbprint: String { jwk.sha256.base64URL }
}
