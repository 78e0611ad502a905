import AssayCore

/// Verdicts byte for byte, each on one line, apart from the list of checks. A change of one is a change of the API.
extension VerdictJSONTests {
    static let accepted = #"""
        {"id":"a-1","kind":"app-attest.attestation","app":"shop","outcome":"accept","failed":[],"annotated":[],\#
        "checks":[CHECKS],\#
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
        "checks":[CHECKS],"testAuthority":"CN=Assay Test App Attestation Root CA,\#
         O=Assay Test, ST=California (key SHA-256 \#
        B98BBC5C27396FC81F1C1A044307A54043575A197D091AE3F62676F33532E65C)","judgedAt":"2026-04-21T18:13:12Z"}
        """#

    private static let failure = #"""
        "status":"failed","code":"nonce-differs",\#
        "detail":"the certified nonce is not SHA-256(authenticatorData || clientDataHash) with the 32-byte clientDataHash of this challenge"
        """#

    /// The text of a verdict with the list of its checks, whose names are those of `TestVectors/checks.txt`.
    static func golden(_ text: String, of verdict: Verdict) -> String {
        let checks = verdict.checks.map { result in
            let rest =
                switch (result.status, result.because) {
                case (.failed, _): failure
                case (_, let reason?): #""status":"skipped","because":"\#(reason)""#
                default: #""status":"passed""#
                }
            return #"{"check":"\#(result.check)",\#(rest)}"#
        }
        return text.replacing("CHECKS", with: checks.joined(separator: ","))
    }
}
