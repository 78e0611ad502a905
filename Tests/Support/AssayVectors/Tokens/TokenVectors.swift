package import AssayTesting
package import FoundationEssentials

/// The test vectors of Assay's own tokens.
package enum TokenVectors: VectorSet {
    package static let name = "assay"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = TokenVectorMint(seed: seed, time: time)
        return [
            VectorDraft("issuer.jwks", text: AssayTokenBlueprint.keySet([mint.next, mint.key]) + "\n"),
            VectorDraft("subjects-secret.b64", text: mint.secretText, isSecret: true),
            policy(""), policy("optional/", "      key: optional\n"), policy("nonce/", "      nonce: required\n"),
            policy("test/", "      testAuthorities: allow\n"),
            VectorDraft("accept.json", mint.accepted), VectorDraft("decode.json", mint.decode),
            VectorDraft("signature.json", mint.signature), VectorDraft("claims.json", mint.claims),
            VectorDraft("proof.json", mint.proof), VectorDraft("binding.json", mint.binding),
            VectorDraft("freshness.json", mint.freshness), VectorDraft("replay.json", mint.replay),
            VectorDraft("optional/bearer.json", mint.bearer), VectorDraft("nonce/nonce.json", mint.nonces),
            VectorDraft("test/environment.json", mint.environment),
        ]
    }

    /// The policies under which the vectors are judged, one to a folder.
    private static func policy(_ folder: String, _ others: String = "") -> VectorDraft {
        let parent = folder.isEmpty ? "" : "../"
        return VectorDraft(
            "\(folder)policy.yaml",
            text: """
                # Minted with the vectors beside it.
                version: 1
                keys:
                  - { name: issuer, use: assay-token, keySet: "file:\(parent)issuer.jwks" }
                  - { name: subjects, use: assay-token-subjects, secret: "file:\(parent)subjects-secret.b64" }
                apps:
                  - name: \(TokenVectorMint.app)
                    tokens:
                      issuer: \(TokenVectorMint.issuer)
                      audiences: [\(TokenVectorMint.audience), https://other.example.com]
                      acceptedAudiences: [\(TokenVectorMint.audience)]
                \(others)
                """)
    }
}
