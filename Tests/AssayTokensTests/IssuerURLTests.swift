import Assay
import AssayCore
import AssayTokens
import Foundation
import Testing

/// Clients fetch the keys of an issuer from its URL: only TLS shows whose keys they are, but on one machine.
@Suite("The URL of an issuer")
struct IssuerURLTests {
    private func error(_ issuer: String, _ others: String) -> PolicyError? {
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest: { appIDs: [1234567890.com.example.shop], environments: [production], challenge: ledger, clientData: raw }
                tokens: { issuer: "\(issuer)", audiences: [orders]\(others) }

            """
        do throws(PolicyError) {
            _ = try PolicyFile.parse(text, path: "policy.yaml")
            return nil
        } catch { return error }
    }

    @Test(
        "An http URL of this machine is for policies that allow test authorities alone",
        arguments: [
            "http://127.0.0.1:8080", "http://127.0.0.1", "http://[::1]:1", "http://localhost:80/assay",
            "http://localhost",
        ])
    func loopback(issuer: String) {
        #expect(error(issuer, ", testAuthorities: allow") == nil)
        for others in ["", ", testAuthorities: refuse"] {
            let found = error(issuer, others)
            #expect(found?.field == "apps[0].tokens.issuer" && found?.line == 5)
            #expect(found?.message.contains("set testAuthorities: allow") == true, "\(found?.message ?? "")")
        }
    }

    @Test(
        "Any other issuer has an https URL, whatever the policy allows",
        arguments: [
            "http://attest.example.com", "http://127.0.0.1.example.com", "http://127.0.0.10",
            "http://localhost.example.com",
            "http://127.0.0.1:", "http://127.0.0.1:80a", "http://127.0.0.1:@example.com",
            "http://127.0.0.1@example.com",
            "http://127.0.0.1/", "http://127.0.0.1?a", "http://127.0.0.1#a", "http://[::1", "http://[::1]x", "http://",
            "HTTP://127.0.0.1",
            "http://0.0.0.0:80", "http://[::]:80", "https://", "https://a.example.com/", "ftp://127.0.0.1",
        ])
    func others(issuer: String) {
        let found = error(issuer, ", testAuthorities: allow")
        #expect(found?.field == "apps[0].tokens.issuer" && found?.message.hasPrefix("expected an https URL") == true)
    }

    @Test("An https URL needs no test authorities")
    func https() {
        #expect(error("https://attest.example.com", "") == nil && error("https://a.example.com/b", "") == nil)
    }
}
