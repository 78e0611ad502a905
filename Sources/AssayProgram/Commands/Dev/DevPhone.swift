import AssayTesting
import Foundation

/// The test phones of `assay dev`, each with its app in the policy.
enum DevPhone: String, CaseIterable {
    case ios
    case android
    case androidKey = "android-key"
    case api

    private static let appID = "1234567890.com.example.shop"
    private static let packageName = "com.example.shop"
    private static let audience = "https://api.example.com"

    /// The kind of evidence, for people.
    var evidence: String {
        switch self {
        case .ios: "App Attest"
        case .android: "Play Integrity"
        case .androidKey: "Android Key Attestation"
        case .api: "Approov"
        }
    }

    /// The command that makes its evidence.
    var mint: String {
        switch self {
        case .ios: "app-attest"
        case .android: "play-integrity"
        case .androidKey: "android-key"
        case .api: "approov"
        }
    }

    var file: String { "\(rawValue).json" }

    /// The files that the policy names: a root, a secret, or the two keys of integrity tokens.
    private var parts: [String] {
        switch self {
        case .ios, .androidKey: ["\(rawValue)-roots.pem"]
        case .android: ["\(rawValue)-decryption.b64", "\(rawValue)-verification.b64"]
        case .api: ["\(rawValue)-secret.b64"]
        }
    }

    /// Makes a phone, with an authority of its own.
    func write(to folder: DevFolder) throws(CommandFailure) {
        var device = TestDevice(createdAt: Date())
        switch self {
        case .ios: device.appID = Self.appID
        case .android, .androidKey:
            device.packageName = Self.packageName
            device.certificateDigest = Self.certificateDigest
        case .api: break
        }
        let texts = try TestDeviceOptions.minting { () throws(MintingError) in
            try contents(of: device)
        }
        try folder.write(device.text, to: file)
        for (name, text) in zip(parts, texts) { try folder.write(text, to: name) }
    }

    private func contents(of device: TestDevice) throws(MintingError) -> [String] {
        switch self {
        case .ios: [try device.authority().rootPEM]
        case .android: [device.integrityKeys.decryptionKeyFile, device.integrityKeys.verificationKeyFile]
        case .androidKey: [try device.androidAuthority().rootPEM]
        case .api: [try device.approovKeys().secretFile]
        }
    }

    /// SHA-256 of the certificate of an app that does not exist.
    private static let certificateDigest = String(repeating: "6a", count: 32)

    // MARK: Policy

    /// The policy of a new folder.
    static func policy(issuer: String) -> String {
        """
        # Made by `assay dev`, for tests only: it trusts the authorities of test phones. Never use it in production. The service reads it
        # again when it changes.
        version: 1
        keys:
          - name: android-test
            use: play-integrity
            decryptionKey: "file:\(android.parts[0])"
            verificationKey: "file:\(android.parts[1])"
          - { name: api-test, use: approov, secret: "file:\(api.parts[0])" }
        apps:
        """ + "\n" + allCases.map { $0.app(tokensOf: issuer) }.joined()
    }

    private func app(tokensOf issuer: String) -> String {
        let tokens =
            "tokens: { issuer: \"\(issuer)\", audiences: [\"\(Self.audience)\"], key: optional, testAuthorities: allow }"
        return switch self {
        case .ios:
            """
              - name: ios
                appAttest:
                  appIDs: [\(Self.appID)]
                  environments: [production]
                  challenge: ledger
                  clientData: { challengeAt: /challenge }
                  requests: {}
                  testRoots: ["file:\(parts[0])"]
                \(tokens)

            """
        case .android:
            """
              - name: android
                playIntegrity:
                  packageName: \(Self.packageName)
                  certificateDigests: ["\(Self.certificateDigest)"]
                  keys: [android-test]
                  challenge: ledger
                  answers: caller         # standard answers of `assay mint play-integrity standard`
                  testResponses: allow
                \(tokens)

            """
        case .androidKey:
            """
              - name: android-key
                androidKey:
                  packages: [\(Self.packageName)]
                  certificateDigests: ["\(Self.certificateDigest)"]
                  statusList: none
                  challenge: ledger
                  requests: {}
                  testRoots: ["file:\(parts[0])"]
                \(tokens)

            """
        case .api:
            """
              - name: api
                approov: { keys: [api-test], failover: reject, issuers: [\(TestDevice.approovIssuer)] }

            """
        }
    }
}
