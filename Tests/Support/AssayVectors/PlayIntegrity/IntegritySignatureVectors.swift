import AssayTesting
import FoundationEssentials

/// Classic tokens encrypted for the app but not signed by Google. Anyone with the decryption key can make these.
extension IntegrityVectorMint {
    var classicSignature: [VectorCase] { algorithms + secrets + values }

    private func signed(_ id: String, _ change: @escaping @Sendable (inout JWSBlueprint) -> Void) -> VectorCase {
        classic("signature-\(id)", .reject("signature")) { $0.changeSigned = change }
    }

    private func plaintext(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
        classic("plaintext-\(id)", .reject("signature")) { $0.changePlaintext = change }
    }

    private func header(_ id: String, text: String) -> VectorCase {
        signed("header-\(id)") { $0.changeHeader = { _ in Array(text.utf8) } }
    }

    private var algorithms: [VectorCase] {
        let none = ["none", "None", "NONE", "nOnE"]
        let others = [
            "es256", "ES256 ", "ES384", "ES512", "ES256K", "RS256", "PS256", "HS256", "HS512", "EdDSA", "A256KW", "",
        ]
        return none.flatMap { name in
            [
                signed("\(name)-empty") {
                    $0.header = ["alg": .text(name)]
                    $0.signer = .none
                },
                signed("\(name)-with-a-genuine-signature") { $0.header = ["alg": .text(name)] },
            ]
        }
            + others.enumerated().map { index, name in
                signed("algorithm-\(index)-named") { $0.header = ["alg": .text(name)] }
            } + [signed("es256-empty") { $0.signer = .none }]
    }

    /// HMAC with public data about the verification key as the secret.
    private var secrets: [VectorCase] {
        let key = current.verificationKey
        let base64 = Data(key).base64EncodedString()
        let pem =
            "-----BEGIN PUBLIC KEY-----\n\(base64.prefix(64))\n\(base64.dropFirst(64))\n-----END PUBLIC KEY-----\n"
        let secrets: [(String, [UInt8])] = [
            ("spki", key), ("spki-in-base64", Array(base64.utf8)), ("spki-in-pem", Array(pem.utf8)),
            ("point", current.signingKey.publicPoint), ("nothing", []),
            ("the-decryption-key", current.decryptionKey),
        ]
        return secrets.flatMap { name, secret in
            [
                signed("hs256-under-\(name)") {
                    $0.signer = .hs256(secret)
                    $0.header = ["alg": "HS256"]
                },
                signed("hs256-under-\(name)-named-es256") { $0.signer = .hs256(secret) },
            ]
        }
    }

    private var values: [VectorCase] {
        let zero = [UInt8].zeros(32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let order = ECDSASignature.p256Order
        func written(_ id: String, _ write: @escaping @Sendable (ECDSASignature) -> [UInt8]) -> VectorCase {
            signed(id) { $0.writeSignature = write }
        }
        return [
            written("r-zero") { zero + $0.s }, written("s-zero") { $0.r + zero },
            written("both-zero") { _ in zero + zero },
            written("r-is-order") { order + $0.s }, written("s-is-order") { $0.r + order },
            written("both-are-order") { _ in order + order }, written("r-above-order") { ones + $0.s },
            written("s-above-order") { $0.r + ones },
            written("r-one-s-one") { _ in zero.dropLast() + [1] + zero.dropLast() + [1] },
            written("r-and-s-exchanged") { $0.s + $0.r }, written("r-twice") { $0.r + $0.r },
            written("little-endian") { $0.r.reversed() + $0.s.reversed() },
            written("changed") { $0.concatenated.flippingLastBit() },
            signed("in-der") { $0.writeSignature = { $0.der } },
            signed("in-der-of-64-bytes") { $0.writeSignature = { Array(($0.der + $0.der).prefix(64)) } },
            signed("of-63") { $0.changeSignature = { $0.dropLast() } },
            signed("of-65") { $0.changeSignature = { $0 + [0] } },
            signed("of-65-with-leading-zero") { $0.changeSignature = { [0] + $0 } },
            signed("of-66") { $0.writeSignature = { [0] + $0.r + [0] + $0.s } },
            signed("of-32") { $0.changeSignature = { Array($0.prefix(32)) } },
            signed("of-96") { $0.changeSignature = { $0 + $0.prefix(32) } },
            signed("twice") { $0.changeSignature = { $0 + $0 } },
        ]
    }

    var classicSignatureForm: [VectorCase] {
        let payload = classic("classic-plaintext-json").payload.encoded
        let (key, contentKey, iv) = (
            current.decryptionKey, bytes("content-key/inner", count: 32), bytes("iv/inner", count: 12)
        )
        func parts(_ id: String, _ change: @escaping @Sendable (inout [String]) -> Void) -> VectorCase {
            signed(id) { $0.changeParts = change }
        }
        let other = Base64URL.text(classic("classic-other").payload.encoded)
        let (attacker, previous) = (attacker.signingKey, previous.signingKey)
        let point = attacker.publicPoint
        let jwk: JSONItem = [
            "kty": "EC", "crv": "P-256", "x": .text(Base64URL.text(point[1..<33])),
            "y": .text(Base64URL.text(point[33..<65])),
        ]
        let certificate = Data(attacker.subjectPublicKeyInfo()).base64EncodedString()
        return [
            plaintext("json") { _ in payload }, plaintext("empty") { _ in [] },
            plaintext("json-in-base64url") { _ in Array(Base64URL.text(payload).utf8) },
            plaintext("encrypted-once-more") { signed in
                let inner = JWEBlueprint(
                    plaintext: signed, keyManagement: .keyWrap(key), contentKey: contentKey, initializationVector: iv)
                return Array(((try? inner.mint()) ?? "").utf8)
            },
            plaintext("with-byte-order-mark") { [0xEF, 0xBB, 0xBF] + $0 },
            plaintext("with-leading-space") { [0x20] + $0 }, plaintext("with-trailing-line-feed") { $0 + [0x0A] },
            plaintext("with-trailing-nul") { $0 + [0] }, plaintext("truncated") { $0.dropLast() },
            plaintext("with-invalid-utf-8") { [0xFF] + $0 },
            parts("part-missing") { $0.removeLast() }, parts("part-alone") { $0.removeLast(2) },
            parts("of-4-parts") { $0.append("") }, parts("payload-exchanged") { $0[1] = other },
            parts("payload-detached") { $0[1] = "" },
            parts("header-exchanged") { $0[0] = Base64URL.text(Array(#"{"alg":"ES256","kid":"1"}"#.utf8)) },
            parts("header-padded") { $0[0] += "==" }, parts("signature-padded") { $0[2] += "==" },
            parts("signature-with-a-spare-bit") { $0[2] = Base64URL.withSpareBit($0[2]) ?? "" },
            parts("payload-with-space") { $0[1] += " " },
            parts("payload-in-the-standard-alphabet") { $0[1] = "+/" + $0[1].dropFirst(2) },
            header("empty", text: ""), header("not-json", text: "ES256"), header("as-array", text: #"["ES256"]"#),
            header("without-algorithm", text: #"{"typ":"JWT"}"#), header("algorithm-null", text: #"{"alg":null}"#),
            header("algorithm-twice", text: #"{"alg":"ES256","alg":"ES256"}"#),
            header("algorithm-twice-differing", text: #"{"alg":"none","alg":"ES256"}"#),
            header("algorithm-twice-with-escape", text: #"{"alg":"ES256","al\u0067":"none"}"#),
            header("critical-unknown", text: #"{"alg":"ES256","crit":["exp"],"exp":1}"#),
            header("critical-empty", text: #"{"alg":"ES256","crit":[]}"#),
            header("payload-not-encoded", text: #"{"alg":"ES256","b64":false,"crit":["b64"]}"#),
            header("compressed", text: #"{"alg":"ES256","zip":"DEF"}"#),
            header("with-byte-order-mark", text: "\u{FEFF}{\"alg\":\"ES256\"}"),
            header("with-trailing-comma", text: #"{"alg":"ES256",}"#),
            signed("of-an-attacker") { $0.signer = .es256(attacker) },
            // A live key of the same app, but not the partner of the key that decrypts.
            signed("of-the-key-before") { $0.signer = .es256(previous) },
            signed("of-an-attacker-with-the-key-in-the-header") {
                $0.signer = .es256(attacker)
                $0.header = ["alg": "ES256", "jwk": jwk]
            },
            signed("of-an-attacker-with-references-in-the-header") {
                $0.signer = .es256(attacker)
                $0.header = [
                    "alg": "ES256", "jku": "https://example.com/keys", "x5u": "https://example.com/certificate",
                    "x5c": [.text(certificate)], "kid": "../../dev/null",
                ]
            },
        ]
    }
}
