import AssayTesting
import FoundationEssentials

/// Authentic live tokens that the policy rejects.
extension ApproovVectorMint {
    /// A token that meets the strict policy except for one claim.
    private func strict(
        _ id: String, _ outcome: VectorOutcome, _ change: @escaping (inout ApproovClaimsBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        token("policy-\(id)", app: "strict", outcome) {
            $0.claims[.audience] = "https://api.example.com"
            change(&$0.claims)
        }
    }

    private func longLived(_ id: String, _ outcome: VectorOutcome, issuer: String, app: String = "strict") -> VectorCase
    {
        token("policy-long-lived-\(id)", app: app, outcome) {
            $0.claims = .longLived(issuer: issuer, expiresAt: time.addingTimeInterval(90 * 86_400))
        }
    }

    var tokenPolicy: [VectorCase] {
        func failover(_ id: String, _ outcome: VectorOutcome, issuer: String? = nil) -> VectorCase {
            token("policy-failover-\(id)", app: "strict", outcome) {
                $0.claims = .failover(expiresAt: expiresAt)
                $0.claims[.issuer] = issuer.map { .text($0) }
            }
        }
        func wary(_ id: String, _ outcome: VectorOutcome, _ annotations: JSONItem) -> VectorCase {
            token("policy-wary-\(id)", app: "wary", outcome, .annotations, annotations)
        }
        func annotated(_ id: String, _ outcome: VectorOutcome, _ annotations: JSONItem) -> VectorCase {
            strict("annotation-\(id)", outcome) { $0[.annotations] = annotations }
        }
        return [
            strict("issuer-allowed", .accept) { $0[.issuer] = "api.example.com" },
            strict("issuer-another", .reject("token.issuer")) { $0[.issuer] = "attacker.example.com" },
            strict("issuer-empty", .reject("token.issuer")) { $0[.issuer] = "" },
            strict("issuer-in-other-case", .reject("token.issuer")) { $0[.issuer] = "API.example.com" },
            strict("issuer-with-dot", .reject("token.issuer")) { $0[.issuer] = "api.example.com." },
            strict("issuer-of-a-server", .reject("token.issuer")) { $0[.issuer] = "batch-server" },
            token("policy-issuer-where-none-is-allowed", .reject("token.issuer"), .issuer, "api.example.com"),
            longLived("allowed", .accept, issuer: "batch-server"),
            // Issued neither by a server that the policy lists nor by the accepted failover service.
            longLived(
                "of-another-server", .reject("token.expiry", "token.issuer", "token.failover"), issuer: "test-server"),
            longLived("where-none-is-allowed", .reject("token.issuer"), issuer: "batch-server", app: "api"),
            strict("audience-in-a-list", .accept) { $0[.audience] = ["x", "https://api.example.com"] },
            strict("audience-second", .accept) { $0[.audience] = "other-audience" },
            strict("audience-missing", .reject("token.audience")) { $0[.audience] = nil },
            strict("audience-another", .reject("token.audience")) { $0[.audience] = "https://other.example.com" },
            strict("audience-longer", .reject("token.audience")) { $0[.audience] = "https://api.example.com/" },
            strict("audience-empty", .reject("token.audience")) { $0[.audience] = "" },
            strict("audience-empty-list", .reject("token.audience")) { $0[.audience] = [] },
            token("policy-audience-where-none-is-known", .reject("token.audience"), .audience, "x"),
            failover("rejected", .reject("token.failover")),
            failover("rejected-with-its-issuer", .reject("token.failover"), issuer: "failover.example.com"),
            strict("failover-without-device", .reject("token.failover")) { $0[.deviceID] = nil },
            annotated("tampered", .reject("token.tampering"), ["debug", "tampered"]),
            annotated("bad-nonce", .reject("token.tampering"), ["bad-nonce"]),
            annotated("noted", .accept, ["emulator"]), annotated("ignored", .accept, ["debug"]),
            annotated("unknown-noted", .accept, ["something-new"]),
            annotated("rejected", .reject("token.annotations"), ["rooted"]),
            annotated("rejected-among-others", .reject("token.annotations"), ["debug", "emulator", "jailbroken"]),
            // Names are compared byte for byte.
            annotated("in-other-case", .accept, ["Rooted"]), wary("ignored", .accept, ["debug"]),
            wary("others", .reject("token.annotations"), ["something-new"]), wary("none", .accept, []),
            wary("many", .reject("token.annotations"), .array((0..<500).map { .text("annotation-\($0)") })),
            // After the gates every check runs, so one verdict has all failures.
            strict("all-at-once", .reject("token.expiry", "token.issuer", "token.audience", "token.annotations")) {
                $0[.expiry] = 0
                $0[.issuer] = "x"
                $0[.audience] = "x"
                $0[.annotations] = ["rooted"]
            },
        ]
    }
}
