/// Verdicts byte for byte, each on one line. A change of one is a change of the API.
extension VerdictJSONTests {
    static let accepted = #"""
        {"id":"a-1","kind":"app-attest.attestation","app":"shop","outcome":"accept","failed":[],"annotated":[],\#
        "checks":[{"check":"app-attest.attestation.decode","status":"passed"},\#
        {"check":"app-attest.attestation.chain","status":"passed"},{"check":"app-attest.attestation.public-key",\#
        "status":"passed"},{"check":"app-attest.attestation.nonce","status":"passed"},\#
        {"check":"app-attest.attestation.key-id","status":"passed"},\#
        {"check":"app-attest.attestation.credential-id","status":"passed"},\#
        {"check":"app-attest.attestation.app-id","status":"passed"},\#
        {"check":"app-attest.attestation.environment","status":"passed"},\#
        {"check":"app-attest.attestation.counter","status":"passed"},{"check":"app-attest.attestation.receipt",\#
        "status":"passed"},{"check":"app-attest.attestation.validation-category","status":"skipped",\#
        "because":"policy"},{"check":"app-attest.attestation.bundle-version","status":"skipped",\#
        "because":"policy"},{"check":"app-attest.attestation.os-version","status":"skipped","because":"policy"},\#
        {"check":"app-attest.attestation.platform","status":"passed"},\#
        {"check":"app-attest.attestation.account","status":"skipped","because":"policy"},\#
        {"check":"app-attest.attestation.challenge","status":"skipped","because":"policy"},\#
        {"check":"app-attest.attestation.enrolment","status":"passed"}],\#
        "subject":{"keyId":"pxdct6ggHhoSswH2PbKkVgkA7pIg2TiRYA0AfBxOdUg=",\#
        "publicKey":"BIlYfGF7zqKXoJOofjrB6MFVN1CC0cH7nEP5XjfZVOJJrEuyX/Owdn4VeXWNJN+5nT21DePXq9lmzdODeHiBNYA=",\#
        "appId":"1234567890.com.example.shop","environment":"production","counter":0,"platform":"iOS",\#
        "osVersion":"26.2","osBuild":"23C55","receiptType":"ATTEST","receiptCreatedAt":"2026-04-21T18:13:12Z",\#
        "receiptExpiresAt":"2026-07-20T18:13:12Z"},"testAuthority":"CN=Assay Test App Attestation Root CA,\#
         O=Assay Test, ST=California (key SHA-256 \#
        B98BBC5C27396FC81F1C1A044307A54043575A197D091AE3F62676F33532E65C)","judgedAt":"2026-04-21T18:13:12Z"}
        """#

    static let rejected = #"""
        {"kind":"app-attest.attestation","app":"shop","outcome":"reject",\#
        "failed":["app-attest.attestation.nonce"],"annotated":[],"remedy":"new-challenge",\#
        "checks":[{"check":"app-attest.attestation.decode","status":"passed"},\#
        {"check":"app-attest.attestation.chain","status":"passed"},{"check":"app-attest.attestation.public-key",\#
        "status":"passed"},{"check":"app-attest.attestation.nonce","status":"failed","code":"nonce-differs",\#
        "detail":"the certified nonce is not SHA-256(authenticatorData || clientDataHash) with the 32-byte clientDataHash of this challenge"},\#
        {"check":"app-attest.attestation.key-id","status":"skipped","because":"app-attest.attestation.nonce"},\#
        {"check":"app-attest.attestation.credential-id","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.app-id","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.environment",\#
        "status":"skipped","because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.counter",\#
        "status":"skipped","because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.receipt",\#
        "status":"skipped","because":"app-attest.attestation.nonce"},\#
        {"check":"app-attest.attestation.validation-category","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.bundle-version",\#
        "status":"skipped","because":"app-attest.attestation.nonce"},\#
        {"check":"app-attest.attestation.os-version","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.platform","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.account","status":"skipped",\#
        "because":"app-attest.attestation.nonce"},{"check":"app-attest.attestation.challenge","status":"skipped",\#
        "because":"policy"},{"check":"app-attest.attestation.enrolment","status":"skipped",\#
        "because":"app-attest.attestation.nonce"}],"testAuthority":"CN=Assay Test App Attestation Root CA,\#
         O=Assay Test, ST=California (key SHA-256 \#
        B98BBC5C27396FC81F1C1A044307A54043575A197D091AE3F62676F33532E65C)","judgedAt":"2026-04-21T18:13:12Z"}
        """#
}
