import AssayPrimitives
import AssayTesting

/// Assertions that the key did not sign, or whose signature is not in DER.
extension AppAttestVectorMint {
    private func written(
        _ id: String, _ write: @escaping @Sendable (ECDSASignature) -> [UInt8]
    ) -> VectorCase {
        assertion("signature-\(id)", .reject("signature")) { $0.signature = .written(write) }
    }

    var assertionSignature: [VectorCase] {
        let other = key("other")
        let zero = [UInt8].zeros(32)
        let order = ECDSASignature.p256Order
        return [
            assertion("signature-of-another-key", .reject("signature")) { $0.key = other },
            assertion("key-of-another-key-id", .reject("key"), publicKey: other.publicPoint),
            // The counter of unsigned input must not report a replay.
            assertion("signature-of-another-key-with-stale-counter", .reject("signature"), counter: 1, stored: 9) {
                $0.key = other
            },
            assertion("signature-over-other-client-data", .reject("signature"), clientData: .bytes(Array("{}".utf8))),
            assertion("signature-over-client-data-removed", .reject("signature"), clientData: .bytes([])),
            assertion("signature-before-counter-was-changed", .reject("signature")) {
                $0.changeObject = {
                    guard case .bytes(var bytes)? = $0["authenticatorData"], bytes.count > 36 else { return }
                    bytes[36] ^= 0x40
                    $0["authenticatorData"] = .bytes(bytes)
                }
            },
            assertion("signature-before-app-was-changed", .reject("signature")) {
                $0.changeObject = {
                    guard case .bytes(let bytes)? = $0["authenticatorData"] else { return }
                    $0["authenticatorData"] = .bytes(Digest.sha256(Array(Self.otherAppID.utf8)) + bytes.dropFirst(32))
                }
            },
            assertion("signature-over-nonce-as-digest", .reject("signature")) { $0.signature = .nonceAsDigest },
            assertion("signature-concatenated", .reject("signature")) { $0.signature = .concatenated },
            written("empty") { _ in [] },
            written("broken") { $0.der.flippingLastBit() },
            written("r-and-s-exchanged") { ECDSASignature(r: $0.s, s: $0.r).der },
            written("r-zero") { ECDSASignature(r: zero, s: $0.s).der },
            written("s-zero") { ECDSASignature(r: $0.r, s: zero).der },
            written("both-zero") { _ in ECDSASignature(r: zero, s: zero).der },
            written("r-is-order") { ECDSASignature(r: order, s: $0.s).der },
            written("s-is-order") { ECDSASignature(r: $0.r, s: order).der },
            written("r-plus-order") { ECDSASignature(r: (BigNumber($0.r) + BigNumber(order)).bytes(33), s: $0.s).der },
            written("s-plus-order") { ECDSASignature(r: $0.r, s: (BigNumber($0.s) + BigNumber(order)).bytes(33)).der },
            written("s-negative") {
                DERBuilder.sequence(DERBuilder.integer(magnitude: $0.r), DERBuilder.element(0x02, $0.withHighS.s))
            },
            written("r-of-64-bytes") { ECDSASignature(r: [0x01] + zero + $0.r.dropFirst(), s: $0.s).der },
            written("with-trailing-byte") { $0.der + [0x00] },
            written("with-trailing-element") {
                DERBuilder.sequence(
                    DERBuilder.integer(magnitude: $0.r), DERBuilder.integer(magnitude: $0.s), DERBuilder.null)
            },
            written("r-with-leading-zeros") {
                DERBuilder.sequence(DERBuilder.element(0x02, [0, 0] + $0.r), DERBuilder.integer(magnitude: $0.s))
            },
            written("length-not-minimal") { [0x30, 0x81] + $0.der.dropFirst() },
            written("length-indefinite") { [0x30, 0x80] + $0.der.dropFirst(2) + [0, 0] },
            written("truncated") { Array($0.der.dropLast()) },
            written("as-set") { [0x31] + $0.der.dropFirst() },
            written("in-octet-string") { DERBuilder.octetString($0.der) },
            written("without-s") { DERBuilder.sequence(DERBuilder.integer(magnitude: $0.r)) },
        ]
    }
}
