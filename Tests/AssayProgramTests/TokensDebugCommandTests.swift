import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("Debug tokens on the command line")
struct TokensDebugCommandTests {
    @Test("A debug token is printed once and alone; its entry has its hash, and the policy with it can be read")
    func draw() throws {
        let scratch = try Scratch()
        let run = try scratch.run(["tokens", "debug", "ci", "--for", "90d"])
        #expect(run.status == 0, "\(run.errors)")
        let secret = try #require(run.output.wholeMatch(of: /(assay_debug_[A-Za-z0-9_-]{43})\n/)?.1, "\(run.output)")
        #expect(!run.errors.contains(secret))
        let entry = try #require(run.errors.firstMatch(of: /- (\{ name: ci, .*\})/)?.1, "\(run.errors)")
        #expect(entry.contains(Digest.sha256(Array(secret.utf8)).hexadecimal))
        let policy = try PolicyFile.parse(
            """
            version: 1
            apps:
              - name: shop
                tokens:
                  issuer: https://attest.example.com
                  audiences: [orders]
                  testAuthorities: allow
                  debugTokens: [\(entry)]
            """, path: "p.yaml")
        #expect(policy.apps.count == 1)
        #expect(try scratch.run(["tokens", "debug", "ci"]).output != run.output)
    }

    @Test("A wrong name and too long a time are bad arguments", arguments: [["a b"], ["ci", "--for", "91d"], [""]])
    func refused(_ arguments: [String]) throws {
        let run = try Scratch().run(["tokens", "debug"] + arguments)
        #expect(run.status == 64 && run.output.isEmpty, "\(run)")
    }
}
