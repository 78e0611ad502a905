import AssayTesting

/// Measurement proofs, with their measurements or with the token that carries them.
extension ApproovVectorMint {
    private func proof(
        _ id: String, hasToken: Bool = false, _ change: @escaping (inout ApproovProofBlueprint) -> Void
    ) -> VectorCase { proof(id, .reject("proof.measurement"), hasToken: hasToken, change: change) }

    private func device(_ blueprint: inout ApproovProofBlueprint) {
        blueprint.proof = measurements.proof(nonce: blueprint.nonce, of: measurements.device ?? [])
    }

    var proofs: [VectorCase] {
        let measurements = measurements
        let other = nonce("other")
        func without(_ id: String, _ change: @escaping (inout ApproovTestMeasurements) -> Void) -> VectorCase {
            proof(id) {
                var measurements = measurements
                change(&measurements)
                $0.source = .measurements(measurements)
            }
        }
        func token(
            _ id: String, _ outcome: VectorOutcome, _ change: @escaping (inout ApproovTokenBlueprint) -> Void
        ) -> VectorCase { proof("token-\(id)", outcome, hasToken: true, changeToken: change) }
        return [
            proof("of-integrity", .accept), proof("of-the-device", .accept, change: device),
            proof("of-integrity-as-demanded", .accept, change: { $0.measurement = "integrity" }),
            proof(
                "of-the-device-as-demanded", .accept,
                change: {
                    device(&$0)
                    $0.measurement = "device"
                }),
            proof("with-token", .accept, hasToken: true),
            proof("of-the-device-with-token", .accept, hasToken: true, change: device),
            proof(
                "with-encrypted-token", app: "sealed", .accept, hasToken: true, changeToken: { $0.form = .encrypted }),
            proof("changed") { $0.proof = $0.proof.flippingLastBit() },
            proof("zero") { $0.proof = $0.proof.map { _ in 0 } }, proof("empty") { $0.proof = [] },
            proof("of-31") { $0.proof = $0.proof.dropLast() }, proof("of-33") { $0.proof += [0] },
            proof("nonce-another") { $0.nonce = other }, proof("nonce-empty") { $0.nonce = [] },
            proof("nonce-of-15") {
                $0.nonce = $0.nonce.dropLast()
                $0.proof = measurements.proof(nonce: $0.nonce, of: measurements.integrity ?? [])
            },
            proof("nonce-of-17") {
                $0.nonce += [0]
                $0.proof = measurements.proof(nonce: $0.nonce, of: measurements.integrity ?? [])
            },
            proof("of-the-nonce-alone") { $0.proof = measurements.proof(nonce: $0.nonce, of: []) },
            proof("in-other-order") {
                $0.proof = measurements.proof(nonce: measurements.integrity ?? [], of: $0.nonce)
            },
            proof("of-both") {
                $0.proof = measurements.proof(
                    nonce: $0.nonce, of: (measurements.integrity ?? []) + (measurements.device ?? []))
            },
            proof("of-the-device-where-integrity-is-demanded") {
                device(&$0)
                $0.measurement = "integrity"
            },
            proof("of-integrity-where-the-device-is-demanded") { $0.measurement = "device" },
            proof("under-another-key") {
                var others = measurements
                others.proofKey = other
                $0.proof = others.proof(nonce: $0.nonce, of: measurements.integrity ?? [])
            },
            without("without-measurements") {
                $0 = ApproovTestMeasurements(proofKey: nil, integrity: nil, device: nil)
            },
            without("without-key") { $0.proofKey = nil }, without("without-its-measurement") { $0.integrity = nil },
            without("with-key-alone") {
                $0.integrity = nil
                $0.device = nil
            },
            without("of-another-app") { $0.integrity = $0.integrity?.flippingLastBit() },
            proof("with-token-changed", hasToken: true) { $0.proof = $0.proof.flippingLastBit() },
            token("without-measurements", .reject("proof.measurement")) {
                for claim in [ApproovClaim.proofKey, .integrityMeasurement, .deviceMeasurement] {
                    $0.claims[claim] = nil
                }
            },
            token("rejected", .reject("token.signature")) { $0 = $0.rejected() },
            token("expired", .reject("token.expiry")) { $0.claims[.expiry] = seconds(0) },
            token("encrypted-where-signed-is-set-up", .reject("token.decode")) { $0.form = .encrypted },
            token("key-of-15", .reject("token.claims")) {
                $0.claims[.proofKey] = ApproovClaimsBlueprint.base64(bytes("short", count: 15))
            },
        ]
    }
}
