import Approov
import Assay
import AssayCore

extension ApproovEngine: FuzzedSection {
    static var targets: [FuzzTarget] { [.approovToken, .approovMessage, .approovText, .approovProof] }

    static var records: [[UInt8]] {
        [
            FuzzedApproovMessage(.account).record, FuzzedApproovToken(.hs256).record,
            FuzzedApproovToken(.loggable).record,
            FuzzedApproovText().record, FuzzedApproovProof(.measurements).record, FuzzedApproovProof(.sealed).record,
        ]
    }

    static var policy: VerificationPolicy {
        ApproovMint.verifier(signing: MessageSigning(signer: .account), texts: TextSigning()).policy
    }

    static var policyTexts: [String] {
        [
            """
            version: 1
            apps:
              - name: api
                approov:
                  binding: [Authorization]
                  failover: reject
                  issuers: [failover.example]
                  longLivedIssuers: [server]
                  audiences: [api.example.com]
                  annotations: { reject: [frida], note: [rooted], others: ignore }
                  maximumLifetime: 10m
                  enforcement: annotate
                  messageSigning:
                    signer: account
                    components: ["@method", "@target-uri", approov-token]
                    freshness: { past: 1m, future: 15s }
                    replay: caller
                    quirks: [signature-as-string]
                  textSigning: { replay: caller }
                  proof: { tokens: encrypted, nonce: ledger }

            """,
            #"""
            {"version": 1, "keys": [{"name": "k", "use": "approov", "publicKey": "file:key.pem"}],
             "apps": [{"name": "a", "approov": {"keys": ["k"], "failover": "accept"}}]}
            """#,
        ]
    }
}
