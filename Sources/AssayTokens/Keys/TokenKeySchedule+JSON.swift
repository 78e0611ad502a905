import AssayCore

extension TokenKeySchedule {
    /// The published keys as a JSON Web Key Set (RFC 7517 section 5), the one that signs last first.
    package var keySet: String {
        let keys = published.map { signer in
            let (x, y) = JWKThumbprint.coordinates(signer.publicPoint)
            return
                #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","use":"sig","alg":"ES256","kid":"\#(signer.keyID)"}"#
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }
}

extension TokenConfiguration {
    /// The path of the key set below the issuer.
    package static let keySetPath = "/.well-known/jwks.json"
    /// The path of the metadata below the issuer.
    package static let metadataPath = "/.well-known/openid-configuration"

    /// The metadata by which ordinary JWT libraries find the keys (OpenID Connect Discovery 1.0 section 3). The issuer has no
    /// endpoints for users, and client attestations have no metadata of the attester.
    package var metadata: String {
        """
        {"issuer":\(RecordJSON.quoted(values.issuer)),"jwks_uri":\(RecordJSON.quoted(values.issuer + Self.keySetPath)),\
        "response_types_supported":[],"subject_types_supported":["pairwise"],\
        "id_token_signing_alg_values_supported":["ES256"],"dpop_signing_alg_values_supported":["ES256"]}
        """
    }
}
