import Assay
import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation

/// Everything that has a secret in it, made anew for each test, in files as operators keep them.
struct SecretAccount {
    let folder: KeyFolder
    let keys: ApproovTestKeys
    let otherKeys: ApproovTestKeys
    let playKeys = PlayIntegrityTestKeys()
    let measurements = ApproovTestMeasurements()
    let masterKey: [UInt8]
    let privateKey: String
    static let now = Date(timeIntervalSince1970: 1_795_132_800)
    private static let digest = [UInt8](repeating: 0x6A, count: 32)
    private static let nonce = [UInt8](0..<18)

    init() throws {
        folder = try KeyFolder()
        keys = try ApproovTestKeys()
        otherKeys = try ApproovTestKeys()
        masterKey = Array(ApproovTestKeys.newSecret().prefix(32))
        privateKey = try Self.rsaKey()
        try folder.write("secret", keys.secretFile)
        try folder.write("message", keys.messageKeyFile)
        try folder.write("decryption", playKeys.decryptionKeyFile)
        try folder.write("verification", playKeys.verificationKeyFile)
        try folder.write("master", masterKeyText + "\n")
        try folder.write("policy.yaml", Self.policyKeys + Self.policyApps)
        try folder.write("apps.yaml", "version: 1\n" + Self.policyApps)
        try folder.write("account.json", accountFile())
    }

    private static let policyKeys = """
        version: 1
        keys:
          - { name: approov-1, use: approov, secret: "file:secret" }
          - { name: message-1, use: approov-message, keyID: account-key, secret: "file:message" }
          - { name: play-1, use: play-integrity, decryptionKey: "file:decryption", verificationKey: "file:verification" }

        """

    private static let policyApps = """
        apps:
          - name: signed
            approov:
              keys: [approov-1]
              binding: [Authorization]
              failover: reject
              messageSigning: { signer: account, keys: [message-1], replay: caller }
          - name: unbound
            approov:
              keys: [approov-1]
              messageSigning: { signer: account, keys: [message-1], replay: caller }
          - name: encrypted
            approov: { keys: [approov-1], format: jwe }
          - name: shop
            playIntegrity:
              packageName: com.example.shop
              keys: [play-1]
              challenge: caller
              certificateDigests: ["\(digest.map { String($0, radix: 16) }.joined(separator: ":"))"]
        """

    private static func rsaKey() throws -> String {
        let folder = try TestFolder()
        guard try folder.shell("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key 2>/dev/null") == 0
        else { throw CocoaError(.featureUnsupported) }
        return try String(contentsOf: folder.url.appendingPathComponent("key"), encoding: .utf8)
    }

    private func accountFile() throws -> String {
        let members = [
            "type": "service_account", "private_key_id": "0123456789abcdef", "private_key": privateKey,
            "client_email": "assay@test.iam.gserviceaccount.com", "token_uri": "http://127.0.0.1:9/token",
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    var masterKeyText: String { Data(masterKey).base64EncodedString() }

    // MARK: What to search for

    var approov: SecretForms { SecretForms("the account's secret", bytes: keys.secret) }
    var encryption: SecretForms { SecretForms("the key of encrypted tokens", bytes: keys.encryptionKey) }
    var message: SecretForms { SecretForms("the message key", bytes: keys.messageKey) }
    var decryption: SecretForms { SecretForms("the decryption key", bytes: playKeys.decryptionKey) }
    var master: SecretForms { SecretForms("the master key", bytes: masterKey) }
    var proofKey: SecretForms { SecretForms("mpk", bytes: measurements.proofKey ?? []) }
    /// What of the private key is private: the exponent and what follows.
    var serviceKey: SecretForms {
        let body = privateKey.split(separator: "\n").dropFirst().dropLast().joined()
        let bytes = Array(Data(base64Encoded: body) ?? Data())
        return SecretForms("the private key", bytes: Array(bytes[320..<min(448, bytes.count)]))
    }
    /// The same as it stands in the file, where lines are broken.
    var serviceKeyText: SecretForms {
        SecretForms("the private key", text: String(privateKey.split(separator: "\n")[12]))
    }
    /// Everything that is loaded with the policy.
    var ofPolicy: [SecretForms] { [approov, encryption, message, decryption] }

    // MARK: Evidence

    private func token(
        _ form: ApproovTokenBlueprint.Form, keys: ApproovTestKeys, measured: Bool = false, bound: String? = nil
    ) throws -> MintedApproovToken {
        var claims = ApproovClaimsBlueprint(expiresAt: Self.now.addingTimeInterval(300))
        if let bound { claims.bind(to: [bound]) }
        claims.allowMessages(with: self.keys)
        if measured { claims.measure(measurements) }
        var blueprint = ApproovTokenBlueprint(keys: keys, claims: claims)
        blueprint.form = form
        return try blueprint.mint()
    }

    /// Good and bad evidence of every kind that secrets judge, one record on a line.
    func records() throws -> (lines: [String], credentials: [SecretForms]) {
        let session = "Bearer \(Data(ApproovTestKeys.newSecret()).base64EncodedString())"
        var records: [EvidenceRecord] = []
        var credentials = [SecretForms("the session", text: session)]
        for (name, keys) in [("good", keys), ("bad", otherKeys)] {
            let signed = try token(.signed, keys: keys, bound: session)
            let unbound = try token(.signed, keys: keys)
            let encrypted = try token(.encrypted, keys: keys, measured: true)
            credentials += [signed, unbound, encrypted].map { SecretForms("a token", text: $0.token) }
            records.append(
                signed.record(id: "\(name)-signed", binding: [session], app: "signed", receivedAt: Self.now))
            records.append(signed.loggableRecord(id: "\(name)-loggable", app: "unbound", receivedAt: Self.now))
            records.append(encrypted.record(id: "\(name)-encrypted", app: "encrypted", receivedAt: Self.now))
            let nonce = [UInt8](0..<16)
            records.append(
                ApproovProofBlueprint(integrityOf: measurements, nonce: nonce, source: .token(encrypted.token))
                    .record(id: "\(name)-proof", app: "encrypted", receivedAt: Self.now))
            var blueprint = ApproovMessageBlueprint(
                method: "POST", targetURI: "https://api.example.com/v1", token: unbound.token,
                signer: .account(keys.messageKey), createdAt: Self.now)
            blueprint.body = Array("{}".utf8)
            records.append(try blueprint.mint().record(id: "\(name)-message", app: "unbound", receivedAt: Self.now))
            let playKeys = name == "good" ? playKeys : PlayIntegrityTestKeys()
            let classic = try ClassicTokenBlueprint(
                keys: playKeys, packageName: "com.example.shop", nonce: Self.nonce, certificateDigests: [Self.digest],
                issuedAt: Self.now
            ).mint()
            credentials.append(SecretForms("an integrity token", text: classic.token))
            records.append(classic.record(id: "\(name)-classic"))
        }
        return (records.map(\.jsonLine), credentials)
    }

    /// A sealed record, and the key that opens it.
    func sealedRecord() throws -> (line: String, key: CapturePrivateKey) {
        let key = try CapturePrivateKey.make()
        let record = try token(.encrypted, keys: keys, measured: true)
            .record(id: "sealed", app: "encrypted", receivedAt: Self.now)
        return (try record.sealedLine(for: key.publicKey), key)
    }
}
