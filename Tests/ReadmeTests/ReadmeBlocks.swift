// swift-format-ignore-file: this is the README, in its own lines.

import Assay
import AssayCapture
import AssayGooglePlay
import AssayKeyStore
import AssayLedgerSQLite
import AssayTesting
import Foundation

/// The README's blocks of Swift, so that they are compiled, with what stands around them. Nobody runs them; `ReadmeTests`
/// holds them against the README.
struct ReadmeBlocks {
    let policy: Policy
    let ledger: SQLiteLedger
    let verifier: Verifier
    let challenge: Challenge
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    let input: AssertionInput
    let requestID: String
    let now: Date

    func block1() async throws {
        // Once, when the server starts.
        let policy = try PolicyFile.load(path: "policy.yaml")
        let ledger = try SQLiteLedger.open(path: "ledger.sqlite")
        let verifier = Verifier(policy: policy, ledger: ledger)

        // Before the app attests its key: a challenge that may be used once.
        let challenge = try await verifier.issueChallenge(app: "shop-ios", for: AttestationCheck.kind, at: Date())
        print(challenge.text)  // 43 characters; the app hashes this text, or the 32 bytes that it stands for

        // When the app has sent its key identifier and its attestation.
        func register(keyID: Data, attestation: Data, challenge: String) async throws -> Bool {
            let input = AttestationInput(
                keyID: keyID, attestation: attestation, clientData: .data(Array(challenge.utf8)))
            let verdict = try await verifier.verifyAttestation(input, at: Date())
            for check in verdict.checks where check.status == .failed {
                print(check.check, check.finding?.detail ?? "")
            }
            return verdict.outcome == .accept
        }

        // On every request that the app signs.
        func isGenuine(keyID: Data, assertion: Data, body: Data) async throws -> Bool {
            let input = AssertionInput(keyID: keyID, assertion: assertion, clientData: .data(Array(body)))
            return try await verifier.verifyAssertion(input, at: Date()).outcome == .accept
        }
    }

    func block2() async throws {
        // Once. The key store is in the file of the ledger, sealed under a master key.
        let masterKey = try MasterKey(text: SecretSource("env:ASSAY_MASTER_KEY").read())
        let keys = SealedKeyStore(storage: ledger, masterKey: masterKey, materials: Verifier.keyMaterials)
        let account = try ServiceAccount(json: SecretSource("file:service-account.json").read())
        let google = PlayIntegrityClient(account: account)
        let verifier = Verifier(policy: policy, ledger: ledger, keyStores: [keys], services: [google])

        // A classic request: the nonce is a challenge of the ledger, used up by the first token that is accepted with it.
        let challenge = try await verifier.issueChallenge(
            app: "shop-android", for: PlayIntegrityCheck.classicKind, at: Date())

        func isGenuine(classic token: String, nonce: String) async throws -> Bool {
            let input = try ClassicIntegrityInput(token: token, packageName: "com.example.shop", nonce: nonce)
            return try await verifier.verifyClassicIntegrityToken(input, at: Date()).outcome == .accept
        }

        // A standard request: the hash binds the token to this request, and the ledger lets it in once.
        func isGenuine(standard token: String, requestHash: String) async throws -> Bool {
            let input = StandardIntegrityInput(
                packageName: "com.example.shop", requestHash: requestHash, evidence: .token(token))
            let verdict = try await verifier.verifyStandardIntegrityToken(input, at: Date())
            print(verdict.playIntegrity?.payload.deviceIntegrity.deviceRecognitionVerdict ?? [])
            return verdict.outcome == .accept
        }

        // When the server stops: calls that are under way end in an outage.
        func stop() async { await google.shutdown() }
    }

    func block3() async throws {
        func isGenuine(token: String, authorization: String, client: String) async throws -> Bool {
            let input = ApproovTokenInput(token: token, binding: [authorization], address: client)
            let verdict = try await verifier.verifyApproovToken(input, app: "api", at: Date())
            let subject = verdict.approov
            // Approov signs the tokens of apps that fail attestation with a wrong secret. What they claim is for support to look up.
            print(subject?.responseCode ?? subject?.claimed?.responseCode ?? "no ARC", subject?.deviceID ?? "no device")
            return verdict.outcome == .accept
        }
    }

    func block4() async throws {
        let input = ApproovMessageInput(
            method: "POST", targetURI: "https://api.example.com/v1/items?a=1",
            fields: headers.map { .init($0.name, $0.value) }, body: .bytes(body))
        let verdict = try await verifier.verifyApproovMessage(input, app: "api", at: Date())
    }

    func block5() async throws {
        let capture = try RecordCapture(folder: "/var/lib/shop/captures")  // 0700; files 0600
        let verdict = try await verifier.verifyAssertion(input, at: now)
        // answer the request, and then:
        try capture.append(EvidenceRecord(input, id: requestID, receivedAt: now), verdict: verdict, at: now)
    }

    func block6() async throws {
        let authority = try TestAuthority(notBefore: Date(timeIntervalSinceNow: -86_400))
        let key = AttestedKey()
        var attestation = AttestationBlueprint(
            authority: authority, key: key, appID: "1234567890.com.example.shop",
            clientData: .bytes(Array(challenge.text.utf8)), issuedAt: Date())
        attestation.authenticatorData.counter = 1  // what your backend must refuse
        let minted = try attestation.mint()  // minted.keyID, minted.attestation
    }

    func block7() async throws {
        let keys = PlayIntegrityTestKeys()  // keys.decryptionKeyFile and keys.verificationKeyFile for the policy
        var token = ClassicTokenBlueprint(
            keys: keys, packageName: "com.example.shop", nonce: challenge.value,
            certificateDigests: [[UInt8](repeating: 0x6A, count: 32)], issuedAt: Date())
        token.payload[.deviceRecognitionVerdict] = nil  // what your backend must refuse
        let mintedToken = try token.mint()  // mintedToken.token
    }

    func block8() async throws {
        let account = try ApproovTestKeys()  // account.secretFile for the policy
        var claims = ApproovClaimsBlueprint(expiresAt: Date(timeIntervalSinceNow: 300))
        claims.bind(to: ["Bearer a.user.session"])
        claims.allowMessages(with: account)
        let approov = ApproovTokenBlueprint(keys: account, claims: claims)
        let genuine = try approov.mint()  // genuine.token, genuine.loggable
        let refused = try approov.rejected().mint()  // what an app gets that fails attestation
        var message = ApproovMessageBlueprint(
            method: "GET", targetURI: "https://api.example.com/v1/items", token: genuine.token,
            signer: .installation(account.installationKey), createdAt: Date())
        message[parameter: "created"] = nil  // what your backend must refuse
        let request = try message.mint()  // request.fields: Approov-Token, Signature-Input, Signature
    }

    func block9() async throws {
        // The second commit is applied, and its answer is lost. `history` tells what was asked.
        let ledger = FaultyLedger(MemoryLedger()) { operation, number in
            operation == .commit && number == 2 ? .answerLost() : nil
        }
    }
}
