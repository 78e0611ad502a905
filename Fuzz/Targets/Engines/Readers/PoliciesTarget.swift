import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Files that a policy refers to, which all hold the same.
private struct SameFiles: PolicyFiles {
    let bytes: [UInt8]

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        guard try node.text().utf8.starts(with: "file:".utf8) else { throw node.error("expected file:PATH") }
        return bytes
    }
}

extension FuzzTarget {
    /// Policy files: YAML, and JSON as far as that is YAML.
    static let policies = FuzzTarget(
        name: "policies", maximumLength: 1024,
        dictionary: [
            "version: 1\n", "apps:\n", "keys:\n", "checks:\n", "appAttest:", "playIntegrity:", "approov:",
            "- name: a\n",
            "messageSigning:", "file:a", "env:A", "{", "}", "[", "]", "enforce", "annotate", "off", "&a", "*a",
            "!!str ",
            "|\n", ">\n", "5m", "challengeAt: /a", "testRoots: [\"file:a\"]", "---\n", "...\n", "? ", "\"\\x41\"",
            "<<:",
        ],
        seeds: { PolicyTexts.all.map { Array($0.utf8) } },
        run: { input in
            guard let text = String(validating: input, as: UTF8.self) else { return }
            let files = SameFiles(bytes: Array(AppleMint.authority.rootPEM.utf8))
            let policy: Policy
            do throws(PolicyError) {
                policy = try PolicyFile.parse(text, file: "policy.yaml", files: files)
            } catch {
                let lines = input.count { $0 == 0x0A } + 2
                guard (error.line ?? 1) >= 1, (error.line ?? 1) <= lines else { broken("no such line: \(error)") }
                guard error.description.utf8.count < 8192 else { broken("a long error: \(error)") }
                return
            }
            for definition in Verifier.catalogue {
                let mode = policy.modes[definition.id] ?? .enforce
                switch definition.kind {
                case .gate, .ledger: guard mode == .enforce else { broken("\(definition.id) is relaxed") }
                case .signal: guard mode != .enforce else { broken("\(definition.id) is enforced") }
                case .policy: break
                }
            }
            guard !policy.apps.isEmpty, policy.apps.allSatisfy({ !$0.configurations.isEmpty }) else {
                broken("an app without a section")
            }
            // An accepted policy is one that verifiers can be made of.
            _ = Verifier(policy: policy, ledger: MemoryLedger())
        })
}

private enum PolicyTexts {
    static let all = [apple, google, approov, json]

    private static let apple = """
        version: 1
        apps:
          - name: shop-ios
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              counter: successor
              challenge: ledger
              clientData: { challengeAt: /challenge }
              minimumOSVersion: { ios: "16.0", macos: "14" }
              minimumBundleVersion: "1.2"
              validationCategories: [appStore, testFlight]
              receipt: { maximumAge: 5m, maximumRiskMetric: 3 }
              testRoots: ["file:test-root.pem"]
        checks:
          app-attest.attestation.receipt: annotate

        """

    private static let google = """
        version: 1
        apps:
          - name: shop-android
            playIntegrity:
              packageName: com.example.shop
              certificateDigests: ["6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a:6a"]
              minimumVersionCode: 42
              challenge: caller
              freshness: { past: 5m, future: 1m }
              deviceRecognition:
                - { minimumSDK: 33, require: MEETS_STRONG_INTEGRITY }
                - { minimumSDK: 28, require: MEETS_DEVICE_INTEGRITY }
              deviceRecall: { reject: [bitFirst] }
              playProtect: [NO_ISSUES]
              appAccessRisk: { reject: [UNKNOWN_CAPTURING] }
              maximumDeviceActivity: LEVEL_2

        """

    private static let approov = """
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
              enforcement: monitor
              messageSigning:
                signer: account
                components: ["@method", "@target-uri", approov-token]
                freshness: { past: 1m, future: 15s }
                replay: caller
                quirks: [signature-as-string]

        """

    private static let json = #"""
        {"version": 1, "keys": [{"name": "k", "use": "approov", "secret": "file:a"}],
         "apps": [{"name": "a", "approov": {"keys": ["k"], "failover": "accept"}}]}
        """#
}
