import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// The files that a policy refers to: `key.pem` contains a public key, and every other file a root certificate.
private struct MintedFiles: PolicyFiles {
    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        let text = try node.text()
        guard text.utf8.starts(with: "file:".utf8) else { throw node.error("expected file:PATH") }
        guard text.isByteEqual(to: "file:key.pem") else { return Array(AppleMint.authority.rootPEM.utf8) }
        return Array(Base64.encode(MintedSeeds.subjectPublicKeyInfo, .standard).utf8)
    }
}

extension FuzzTarget {
    /// Policy files: YAML, and the JSON that is valid YAML.
    static let policies = FuzzTarget(
        name: "policies", maximumLength: 2048,
        dictionary: [
            "version: 1\n", "apps:\n", "keys:\n", "checks:\n", "appAttest:", "playIntegrity:", "approov:",
            "- name: a\n",
            "messageSigning:", "file:a", "env:A", "{", "}", "[", "]", "enforce", "annotate", "off", "&a", "*a",
            "!!str ",
            "|\n", ">\n", "5m", "challengeAt: /a", "testRoots: [\"file:a\"]", "---\n", "...\n", "? ", "\"\\x41\"",
            "<<:",
        ],
        seeds: { EngineRegistry.standard.fuzzed.flatMap { $0.policyTexts }.map { Array($0.utf8) } },
        run: { input in
            guard let text = String(validating: input, as: UTF8.self) else { return false }
            let policy: VerificationPolicy
            do throws(PolicyError) {
                policy = try PolicyFile.parse(text, file: "policy.yaml", files: MintedFiles())
            } catch {
                let lines = input.count { $0 == 0x0A } + 2
                guard (error.line ?? 1) >= 1, (error.line ?? 1) <= lines else { broken("no such line: \(error)") }
                guard error.description.utf8.count < 8192 else { broken("a long error: \(error)") }
                return false
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
            // A verifier can be created with every accepted policy.
            _ = Verifier(policy: policy, ledger: MemoryLedger())
            return true
        })
}
