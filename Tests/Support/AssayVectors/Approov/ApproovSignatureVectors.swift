import AssayTesting
import FoundationEssentials

/// Well-formed tokens without a valid signature of the account over header and claims.
extension ApproovVectorMint {
    var tokenSignature: [VectorCase] { rejections + secrets + changes }

    private func token(
        _ id: String, app: String = "api", form: ApproovTokenBlueprint.Form = .signed, keyID: String? = nil,
        secret: [UInt8]? = nil, _ change: @escaping (inout ApproovTokenBlueprint) -> Void = { _ in }
    ) -> VectorCase {
        token(
            "signature-\(id)", app: app, .reject("token.signature"), form: form, keyID: keyID, secret: secret,
            change: change)
    }

    private func signed(_ id: String, _ change: @escaping @Sendable (inout JWSBlueprint) -> Void) -> VectorCase {
        token(id) { $0.changeSigned = change }
    }

    /// The tokens that Approov issues to apps that fail attestation.
    private var rejections: [VectorCase] {
        [
            token("rejected") { $0 = $0.rejected() },
            token("rejected-es256", app: "asymmetric", form: .signedES256, keyID: "es") { $0 = $0.rejected() },
            token("rejected-rs256", app: "asymmetric", form: .signedRS256, keyID: "rs") { $0 = $0.rejected() },
            token("rejected-without-claims") {
                $0.claims = ApproovClaimsBlueprint(json: [:])
                $0 = $0.rejected()
            },
            token("rejected-with-claims-that-are-no-json") {
                $0.changeClaims = { _ in [0xFF, 0x00] }
                $0 = $0.rejected()
            },
        ]
    }

    private var secrets: [VectorCase] {
        let keys = current
        let secrets: [(String, [UInt8])] = [
            ("nothing", []), ("a-zero-byte", [0]), ("its-base64", Array(keys.secretFile.dropLast().utf8)),
            ("its-file", Array(keys.secretFile.utf8)), ("its-first-half", Array(keys.secret.prefix(32))),
            ("its-digest", keys.encryptionKey), ("the-message-key", keys.messageKey),
            ("another-api's", otherAPI.secret), ("an-attacker's", attacker.secret),
            ("64-zero-bytes", .zeros(64)),
        ]
        return secrets.map { name, secret in token("under-\(name)", secret: secret) }
    }

    private var changes: [VectorCase] {
        let other = Base64URL.text(token("other").claims.encoded + [0x20])
        let later = ApproovClaimsBlueprint(expiresAt: expiresAt.addingTimeInterval(3600)).encoded
        func parts(_ id: String, _ change: @escaping @Sendable (inout [String]) -> Void) -> VectorCase {
            signed(id) { $0.changeParts = change }
        }
        let (attacker, order) = (attacker.signingKey, ECDSASignature.p256Order)
        let zero = [UInt8].zeros(32)
        func es256(_ id: String, _ change: @escaping @Sendable (inout JWSBlueprint) -> Void) -> VectorCase {
            token("es256-\(id)", app: "asymmetric", form: .signedES256, keyID: "es") { $0.changeSigned = change }
        }
        func written(_ id: String, _ write: @escaping @Sendable (ECDSASignature) -> [UInt8]) -> VectorCase {
            es256(id) { $0.writeSignature = write }
        }
        func rs256(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
            token("rs256-\(id)", app: "asymmetric", form: .signedRS256, keyID: "rs") {
                $0.changeSigned = { $0.changeSignature = change }
            }
        }
        return [
            signed("of-0") { $0.changeSignature = { _ in [] } }, signed("of-1") { $0.changeSignature = { [$0[0]] } },
            signed("of-16") { $0.changeSignature = { Array($0.prefix(16)) } },
            signed("of-31") { $0.changeSignature = { $0.dropLast() } },
            signed("of-33") { $0.changeSignature = { $0 + [0] } }, signed("twice") { $0.changeSignature = { $0 + $0 } },
            signed("first-bit-turned") { $0.changeSignature = { [$0[0] ^ 0x80] + $0.dropFirst() } },
            signed("last-bit-turned") { $0.changeSignature = { $0.flippingLastBit() } },
            signed("all-zero") { $0.changeSignature = { $0.map { _ in 0 } } },
            // The signed parts are replaced.
            parts("claims-exchanged") { $0[1] = other }, parts("claims-of-later") { $0[1] = Base64URL.text(later) },
            parts("claims-left-out") { $0[1] = "" },
            parts("header-exchanged") { $0[0] = Base64URL.text(Array(#"{"alg":"HS256"}"#.utf8)) },
            parts("header-named") { $0[0] = Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT","kid":"x"}"#.utf8)) },
            es256("of-an-attacker") { $0.signer = .es256(attacker) },
            es256("of-an-attacker-with-the-key-in-the-header") {
                $0.signer = .es256(attacker)
                $0.header["jwk"] = [
                    "kty": "EC", "crv": "P-256", "x": .text(Base64URL.text(attacker.publicPoint[1..<33])),
                    "y": .text(Base64URL.text(attacker.publicPoint[33..<65])),
                ]
            },
            written("in-der") { $0.der }, written("both-zero") { _ in zero + zero },
            written("r-zero") { zero + $0.s }, written("s-zero") { $0.r + zero },
            written("r-is-order") { order + $0.s }, written("s-is-order") { $0.r + order },
            written("r-and-s-exchanged") { $0.s + $0.r }, written("of-63") { $0.concatenated.dropLast() },
            written("of-65") { [0] + $0.concatenated }, written("empty") { _ in [] },
            rs256("changed") { $0.flippingLastBit() }, rs256("of-255") { $0.dropLast() },
            rs256("of-257") { [0] + $0 }, rs256("empty") { _ in [] }, rs256("all-zero") { $0.map { _ in 0 } },
            rs256("one") { $0.dropLast().map { _ in 0 } + [1] },
        ]
    }
}
