import Approov
import Assay
import AssayCore
import AssayHTTP
import AssayService
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// `assay policy show` prints a policy that demands the same.
@Suite("The text of a policy in force")
struct PolicyTextTests {
    private static func settings(_ policy: VerificationPolicy) -> [String] {
        policy.apps.flatMap { app in
            [app.name]
                + app.configurations.compactMap { $0 as? any ReadableConfiguration }.flatMap(\.settings).map {
                    "\($0.path): \($0.value.map(text) ?? "-")"
                }
        } + policy.keys.map { "\($0.name) \($0.scope ?? "-") \($0.window)" }
    }

    private static func text(_ content: PolicyNode.Content) -> String {
        switch content {
        case .null: "null"
        case .scalar(let text): "\"\(text)\""
        case .sequence(let elements): "[\(elements.map { text($0.content) }.joined(separator: ", "))]"
        case .mapping(let entries):
            "{\(entries.map { "\($0.key): \(text($0.value.content))" }.joined(separator: ", "))}"
        }
    }

    /// Shows a policy in a folder, reads what is shown, and shows that.
    private static func expectSame(_ path: String, beside folder: String) throws {
        let original = try PolicyFile.load(path: path)
        let shown = try PolicyFile.effectiveText(path: path, engines: .standard)
        let copy = "\(folder)/shown-\(UUID().uuidString).yaml"
        try Data(shown.utf8).write(to: URL(fileURLWithPath: copy))
        let policy = try PolicyFile.load(path: copy)
        #expect(settings(policy) == settings(original), "\(path)")
        #expect(
            policy.apps.map { policy.modes(of: $0) } == original.apps.map { original.modes(of: $0) }, "\(path)")
        #expect("\(policy.addresses)" == "\(original.addresses)", "\(path)")
        #expect("\(policy.logAccounts)" == "\(original.logAccounts)", "\(path)")
        #expect(policy.countedFacts == original.countedFacts, "\(path)")
        #expect(policy.countedProperties == original.countedProperties, "\(path)")
        #expect(policy.propertyHeader == original.propertyHeader, "\(path)")
        #expect(policy.routes == original.routes, "\(path)")
        #expect(try PolicyFile.effectiveText(path: copy, engines: .standard) == shown, "\(path)")
    }

    private static let complete = """
        version: 1
        keys:
          - { name: approov, use: approov, secret: "file:SECRET", for: "a: \\"b\\" é #1", notAfter: 2027-01-31T00:00:00Z }
        apps:
          - name: "shop: \\"ä\\" \\\\ # null"
            appAttest:
              appIDs: [1234567890.com.example.shop, 1234567890.com.example.clip]
              environments: [production, development]
              challenge: ledger
              clientData: { challengeAt: "/a b/~0c" }
              counter: window(64)
              reattestation: refuse
              account: required
              maximumKeys: 3
              keysExceeded: retire-oldest
              minimumOSVersion: { iOS: "16.0", macOS: "14" }
              minimumBundleVersion: "1.2"
              versions: { maximum: "3", withdrawn: ["1.3", "2.0.1"] }
              validationCategories: [appStore, testFlight]
              receipt: { maximumAge: 1h30m, maximumRiskMetric: 10, maximumRiskMetricAge: 30d, keep: sealed }
              requests:
                label: evidence
                components: ["@method", "@target-uri", authorization]
                freshness: { past: 30s, future: 5s }
                nonce: ledger
                body: upstream
                enforcement: annotate
              testRoots: ["file:ROOT"]
            playIntegrity:
              packageName: com.example.shop
              platform: android
              keys: [x, y]
              challenge: caller
              classicTokens: keys
              answers: google
              freshness: { past: 10m, future: 0s }
              licensing: [LICENSED, UNLICENSED]
              testResponses: allow
              requests:
                label: evidence
                components: ["@method", "@target-uri", authorization]
                freshness: { past: 30s, future: 5s }
                nonce: ledger
                body: upstream
                enforcement: annotate
              certificateDigests: ["00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF"]
              minimumVersionCode: 42
              versions: { maximum: 100, withdrawn: [50, 51] }
              appRecognition: [PLAY_RECOGNIZED, UNEVALUATED]
              deviceRecognition: [{ minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }, { minimumSDK: 34, require: MEETS_STRONG_INTEGRITY }]
              minimumSDKVersion: 28
              maximumDeviceActivity: LEVEL_2
              deviceRecall: { reject: [bitFirst, bitThird], blocks: ban }
              playProtect: [NO_ISSUES]
              appAccessRisk: { reject: [KNOWN_CAPTURING] }
              locationSpoofing: { allow: [LOW_RISK_DEVICE] }
            approov:
              keys: [approov]
              format: jwe
              tokenHeader: Authorization
              tokenPrefix: "Bearer "
              binding: [X-User, X-Device]
              whenAbsent: { value: none }
              failover: accept
              issuers: [failover.approov.io]
              longLivedIssuers: ["batch job"]
              audiences: [api.example.com]
              statusWords: { WORDS }
              annotations: { preset: allow-root, reject: [rooted], note: [emulator], ignore: [debug], others: reject }
              maximumLifetime: 10m
              messageSigning:
                signer: account
                keys: [m1]
                components: ["@method", "@target-uri", authorization]
                freshness: { past: 2m, future: 30s }
                replay: caller
                quirks: [digest-as-string, authority-without-port]
                body: upstream
              textSigning: { keys: [m1], replay: caller }
              proof: { tokens: encrypted, nonce: ledger, keys: [h1], hardware: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2uYDtfp8bvDzOSzyXjQDjRne+USisbA0diGLn7Z4nX416/W3RP5R/XocUMnTjQMRHg1OCwtOd+UoTmuNnJ6mtA==", life: 90d }
              enforcement: annotate
            androidKey:
              packages: [com.example.shop, com.example.shop.lite]
              certificateDigests: ["00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF"]
              statusList: { source: service, maximumAge: 12h }
              preset: standard
              minimumVersionCode: 42
              versions: { maximum: 100, withdrawn: [50, 51] }
              challenge: caller
              reattestation: refresh
              maximumAttestationAge: 30d
              account: required
              maximumKeys: 3
              keysExceeded: retire-oldest
              securityLevel: strongBox
              keyAlgorithms: [ec-p256, rsa]
              bootStates: [verified, selfSigned]
              verifiedBootKeys: ["00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"]
              minimumOSVersion: "12"
              patchLevel: { maximumAge: 100d, maximumAhead: 31d, levels: [os, boot] }
              minimumAttestationVersion: 100
              purposes: [sign, decrypt]
              userAuthentication: required
              rollbackResistance: required
              creationTime: { past: 2m, future: 10s }
              deviceIdentity: forbidden
              provisioning: remote
              maximumCertificatesIssued: 50
              testRoots: ["file:ROOT"]
              requests:
                label: evidence
                components: ["@method", "@target-uri", authorization]
                freshness: { past: 30s, future: 5s }
                nonce: ledger
                body: upstream
                enforcement: annotate
            tokens:
              issuer: https://attest.example.com
              audiences: [https://api.example.com, orders]
              acceptedAudiences: [orders]
              life: 10m
              riskLife: 2m
              riskChecks: [device-check.ban]
              hourlyTokens: 20
              key: optional
              nonce: required
              limitedUse: yes
              testAuthorities: allow
              debugTokens:
                - name: ci
                  sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                  from: 2026-11-01T00:00:00Z
                  until: 2027-01-01T00:00:00Z
              enforcement: annotate
              format: approov
              clientID: shop
              approovForm: jwe
              address: none
              messageKey: deliver
              annotations: [device-check.ban]
              claims: { tier: text 8, beta: flag }
              configuration: pins
              refused: token
              failover: issue
              ear: allow
            builds:
              rule: reject
              unstated: reject
            secrets: { enabled: yes, names: [maps], life: 2h, testAuthorities: allow }
            deviceCheck:
              appID: 1234567890.com.example.shop
              environment: development
              bits: enrolments
              limit: 2
              months: 12
              required: [app-attest.attestation, app-attest.assertion]
              blocks: none
              outage: annotate
            noEvidence:
              reasons: [unsupported, failed]
              minimumAppVersion: "5.1"
              versions: { maximum: "7", withdrawn: ["6.0.1"] }
              maximumSystemVersion: "15.99"
              account: required
              plausibleShare: 2.5%
            certificates:
              hosts:
                api.example.com: { fetch: yes, leaves: ["00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"] }
                pay.example.com: { compare: pin, pins: ["00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"] }
                dev.example.com: { skip: yes }
              required: yes
          - name: game
            playIntegrity: { packageName: com.example.game, platform: pc }
          - name: small
            appAttest:
              appIDs: [1234567890.com.example.small]
              environments: [production]
              challenge: caller
              clientData: none
              minimumOSVersion: "17"
        routes:
          - name: shop.route
            require: all
            evidence:
              - { app: "shop: \\"ä\\" \\\\ # null", kind: app-attest.request }
              - { app: "shop: \\"ä\\" \\\\ # null", kind: approov.message }
        checks:
          app-attest.attestation.receipt: enforce
          play-integrity.licensing: off
          approov.token.address: off
        log: { account: drop }
        metrics: { by: [bundleVersion, annotations] }

        """

    private static func write(_ text: String, in folder: TestFolder) throws -> String {
        try Data(TestAuthority(seed: "policies", notBefore: Evidence.time).rootPEM.utf8).write(
            to: folder.url.appendingPathComponent("root.pem"))
        _ = FileManager.default.createFile(
            atPath: folder.path("secret"), contents: Data(Data(repeating: 7, count: 64).base64EncodedString().utf8),
            attributes: [.posixPermissions: 0o600])
        let words = ApproovStatusWord.allCases.map { "\($0.rawValue): \($0 == .noNetwork ? "annotate" : "reject")" }
        let text = text.replacing("WORDS", with: words.joined(separator: ", ")).replacing("ROOT", with: "root.pem")
            .replacing("SECRET", with: "secret")
        try Data(text.utf8).write(to: folder.url.appendingPathComponent("policy.yaml"))
        return folder.path("policy.yaml")
    }

    /// The complete policy, with the examples of fields that it lacks.
    private static func everyFieldText() throws -> String {
        var text = complete
        guard case .sequence(let apps)? = try PolicyFile.value(complete).value(at: "apps")?.content else {
            throw CocoaError(.coderReadCorrupt)
        }
        for configuration in EngineRegistry.standard.configurations {
            let section = configuration.policyField
            for example in configuration.examples where !example.path.contains(".") {
                guard apps[0].value(at: "\(section).\(example.path)") == nil, case .scalar(let value)? = example.value
                else { continue }
                text = text.replacing(
                    "    \(section):\n", with: "    \(section):\n      \(example.path): \"\(value)\"\n",
                    maxReplacements: 1)
            }
        }
        return text
    }

    @Test("A policy with every field is shown as one that demands the same")
    func everyField() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try Self.write(Self.everyFieldText(), in: folder)
        try Self.expectSame(path, beside: folder.path("."))
        let shown = try PolicyFile.effectiveText(path: path, engines: .standard)
        #expect(shown.contains("file:secret") && shown.contains("file:root.pem"))
        // The complete policy has every declared field, and each is shown.
        let root = try PolicyFile.value(shown)
        guard case .sequence(let apps)? = root.value(at: "apps")?.content else { throw CocoaError(.coderReadCorrupt) }
        for configuration in EngineRegistry.standard.configurations {
            for field in configuration.fields {
                #expect(
                    apps[0].value(at: "\(configuration.policyField).\(field.path)") != nil,
                    "\(field.path) is not shown, or lacks in the complete policy")
            }
        }
    }

    @Test("A policy with required fields only is shown with its defaults, its missing rules, and every mode")
    func defaults() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = try Self.write(
            """
            version: 1
            apps:
              - name: ios
                appAttest: { appIDs: [1234567890.a.b], environments: [production], challenge: ledger, clientData: raw }
              - name: api
                approov: {}

            """, in: folder)
        try Self.expectSame(path, beside: folder.path("."))
        let shown = try PolicyFile.effectiveText(path: path, engines: .standard)
        for line in [
            "      counter: increasing", "        maximumAge: 5m", "      tokenHeader: Approov-Token",
            "      failover: accept", "        others: note", "  app-attest.attestation.receipt: annotate",
            "  approov.token.issuer: enforce", "  approov.token.address: annotate",
            "  # app-attest.attestation.os-version: enforce, but it does not run without minimumOSVersion",
        ] {
            #expect(shown.split(separator: "\n").contains(Substring(line)), "\(line) is not in \(shown)")
        }
        #expect(shown.contains("minimumOSVersion, minimumBundleVersion"))
        #expect(!shown.contains("play-integrity"))
    }

    @Test("Every policy of the test vectors that can be read is shown as one that demands the same")
    func vectors() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        // A copy: what is shown is read beside the files that it names.
        try FileManager.default.copyItem(atPath: TestVectors.folder.path, toPath: folder.path("vectors"))
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path("vectors"))
            .filter { $0.hasSuffix(".yaml") }.map { folder.path("vectors/\($0)") }
        // The files of keys may be readable by others in a clone.
        let readable = found.filter { (try? PolicyFile.load(path: $0)) != nil }
        #expect(readable.count > 3, "\(found)")
        for path in readable { try Self.expectSame(path, beside: (path as NSString).deletingLastPathComponent) }
    }
}
