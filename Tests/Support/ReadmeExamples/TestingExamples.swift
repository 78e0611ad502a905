// swift-format-ignore-file: blocks of the documentation, in their own lines.

import Assay
import AssayTesting
import Foundation

/// The Swift examples of AssayTesting.md. They are compiled but not run.
struct TestingExamples {
    let challenge: IssuedChallenge

    func block1() async throws {
        let authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400))
        let key = AttestedKey()
        var attestation = AttestationBlueprint(
            authority: authority, key: key, appID: "1234567890.com.example.shop",
            clientData: .bytes(Array(challenge.text.utf8)), issuedAt: Date())
        attestation.authenticatorData.counter = 1  // your backend must reject this
        let minted = try attestation.mint()  // minted.keyID, minted.attestation
    }

    func block2() async throws {
        let keys = PlayIntegrityTestKeys()  // keys.decryptionKeyFile and keys.verificationKeyFile for the policy
        var token = ClassicTokenBlueprint(
            keys: keys, packageName: "com.example.shop", nonce: challenge.value,
            certificateDigests: [[UInt8](repeating: 0x6A, count: 32)], issuedAt: Date())
        token.payload["deviceIntegrity.deviceRecognitionVerdict"] = nil  // your backend must reject this
        let mintedToken = try token.mint()  // mintedToken.token
    }

    func block3() async throws {
        let authority = try AndroidKeyTestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400))
        let key = try AndroidAttestedKey()  // authority.rootPEM for the policy
        var attestation = try AndroidKeyAttestationBlueprint(
            authority: authority, key: key, packageName: "com.example.shop",
            certificateDigest: [UInt8](repeating: 0x6A, count: 32), challenge: Array(challenge.text.utf8),
            issuedAt: Date())
        let minted = try attestation.mint()  // minted.certificates
        let request = try SignedRequestBlueprint(
            method: "GET", targetURI: "https://api.example.com/v1/items", evidence: .androidKey(key), createdAt: Date()
        ).mint()  // request.headers: Signature-Input, Signature
        attestation.extend(forging: try AndroidAttestedKey())
        let forged = try attestation.mint()  // your backend must reject this
    }

    func block4() async throws {
        let account = try ApproovTestKeys()  // account.secretFile for the policy
        var claims = ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 300))
        claims.bind(to: ["Bearer a.user.session"])
        claims.allowMessages(with: account)
        let approov = ApproovTokenBlueprint(keys: account, claims: claims)
        let genuine = try approov.mint()  // genuine.token, genuine.loggable
        let refused = try approov.rejected().mint()  // what an app gets that fails attestation
        let message = ApproovMessageBlueprint(
            method: "GET", targetURI: "https://api.example.com/v1/items", token: genuine.token,
            signer: .installation(account.installationKey), createdAt: Date())
        var request = try message.mint()  // request.headers: Approov-Token, Signature-Input, Signature
        request.method = "PUT"  // your backend must reject this
    }

    func handlers(keyID: [UInt8]) async throws {
        let accepted = try await Verdict.stub(
            accepting: .appAttestRequest, app: "shop-ios", subject: AppAttestSubject(keyID: keyID))
        let rejected = try await Verdict.stub(
            rejecting: .appAttestRequest, app: "shop-ios", failed: [.appAttestAssertionCounter],
            code: .counterNotIncreasing, remedy: .retry)
    }

    func policies() throws {
        let authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400))
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop-ios
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  challenge: ledger
                  clientData: { challengeAt: /challenge }
                  testRoots: ["file:root.pem"]
            """, files: ["root.pem": authority.rootPEM])
        let verifier = Verifier(policy: policy, ledger: MemoryLedger())
    }

    func block5() async throws {
        // The second commit is applied, and its answer is lost. `history` lists what was asked.
        let ledger = FaultyLedger(MemoryLedger()) { operation, number in
            operation == .commit && number == 2 ? .answerLost() : nil
        }
    }

    func block6() async throws {
        for contractCase in LedgerContract.cases {
            try await contractCase.run { MemoryLedger() }  // an empty ledger of yours
        }
        for contractCase in LedgerContract.administrationCases {
            try await contractCase.run { MemoryLedger() }  // if it conforms to LedgerAdministration
        }
    }
}
