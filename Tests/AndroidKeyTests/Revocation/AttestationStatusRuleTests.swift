import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// Which list an attestation is judged by, and how old it may be.
struct AttestationStatusRuleTests {
    private static let list = Array(#"{"entries":{"ffffffff":{"status":"REVOKED"}}}"#.utf8)
    private static let now = Date(timeIntervalSince1970: 1_795_132_800)

    /// A service with a list of a fixed time.
    private struct Source: AttestationStatusSource {
        let fetchedAt: Date?

        func statusList(
            at now: Date, maximumAge: Double
        ) async throws(StatusListOutage) -> AttestationStatusList {
            do throws(DecodeError) {
                return try AttestationStatusList(json: AttestationStatusRuleTests.list, fetchedAt: fetchedAt)
            } catch {
                throw StatusListOutage(.statusListMissing, error.detail)
            }
        }
    }

    @Test(
        "A list of the service counts up to maximumAge, and is an outage beyond",
        arguments: [(0.0, true), (86_400, true), (86_401, false), (-3600, true)])
    func age(_ age: Double, _ isTaken: Bool) async throws {
        let rule = AttestationStatusRule.service(maximumAge: 86_400)
        let source = Source(fetchedAt: Self.now.addingTimeInterval(-age))
        do throws(VerificationError) {
            let list = try await rule.list(from: [source], asCaptured: nil, at: Self.now)
            #expect(isTaken)
            #expect(list?.count == 1)
        } catch {
            #expect(!isTaken)
            guard case .outage(let outage) = error else { throw error }
            #expect(outage.code == .statusListTooOld)
        }
    }

    @Test("A list of unknown age is an outage, and a policy without its service an error of the caller")
    func unknown() async throws {
        let rule = AttestationStatusRule.service(maximumAge: 86_400)
        await #expect(throws: VerificationError.self) {
            _ = try await rule.list(from: [Source(fetchedAt: nil)], asCaptured: nil, at: Self.now)
        }
        do throws(VerificationError) {
            _ = try await rule.list(from: [], asCaptured: nil, at: Self.now)
            Issue.record("a list")
        } catch {
            guard case .request(let request) = error else { throw error }
            #expect(request.code == "no-status-list")
        }
    }

    @Test("An outage of the list gives no verdict, and never an acceptance; evidence that is false anyway is rejected")
    func outage() async throws {
        struct Down: AttestationStatusSource {
            func statusList(
                at now: Date, maximumAge: Double
            ) async throws(StatusListOutage) -> AttestationStatusList {
                throw StatusListOutage(.statusListTooOld, "the test says so")
            }
        }
        let configuration = try Fixtures.configuration(statusList: .service(maximumAge: 86_400))
        let verifier = try Fixtures.verifier(configuration, services: [Down()])
        let minted = try Fixtures.blueprint().mint()
        do throws(VerificationError) {
            _ = try await verifier.verify(minted.input, at: Fixtures.time)
            Issue.record("a verdict")
        } catch {
            guard case .outage(let outage) = error else { throw error }
            #expect(outage.code == .statusListTooOld)
        }
        let other = KeyAttestationInput(certificates: minted.certificates, challenge: Array("another".utf8))
        let verdict = try await verifier.verify(other, at: Fixtures.time)
        #expect(outcome(verdict).hasPrefix("challenge-binding "))
    }

    @Test(
        "The field is read in each form, and nothing else is taken",
        arguments: [
            ("service", true), ("none", true), ("{ source: service }", true),
            ("{ source: service, maximumAge: 12h }", true), ("{ source: none }", true), ("Service", false),
            ("", false), ("off", false), ("\"file:\"", false), ("file:/nowhere", false), ("{}", false),
            ("{ maximumAge: 12h }", false), ("{ source: none, maximumAge: 12h }", false),
            ("{ source: service, maximumAge: 30s }", false), ("{ source: service, maximumAge: 31d }", false),
            ("{ source: service, age: 1d }", false),
        ])
    func reading(_ text: String, _ isTaken: Bool) throws {
        let policy = """
            version: 1
            apps:
              - name: shop
                androidKey:
                  packages: [com.example.shop]
                  certificateDigests: ["\(String(repeating: "07", count: 32))"]
                  challenge: caller
                  statusList: \(text)
            """
        if isTaken {
            _ = try PolicyFile.parse(policy, path: "policy.yaml")
        } else {
            let error = #expect(throws: PolicyError.self) { try PolicyFile.parse(policy, path: "policy.yaml") }
            #expect(error?.field.contains("statusList") == true, "\(error?.description ?? "")")
        }
    }
}
