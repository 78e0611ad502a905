import AssayTesting

/// Classic tokens that are no strict compact JWE. They are rejected before any key is used.
extension IntegrityVectorMint {
    var classicDecode: [VectorCase] { textsAndParts + base64 + headers + lengths }

    private func token(_ id: String, _ change: @escaping @Sendable (String) -> String) -> VectorCase {
        classic(id, .reject("decode")) { $0.changeToken = change }
    }

    private func parts(_ id: String, _ change: @escaping @Sendable (inout [String]) -> Void) -> VectorCase {
        classic(id, .reject("decode")) { $0.changeEncrypted = { $0.changeParts = change } }
    }

    private func header(_ id: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> VectorCase {
        classic("header-\(id)", .reject("decode")) { $0.changeEncrypted = { $0.changeHeader = change } }
    }

    private func header(_ id: String, text: String) -> VectorCase { header(id) { _ in Array(text.utf8) } }

    private func encrypted(_ id: String, _ change: @escaping @Sendable (inout JWEBlueprint) -> Void) -> VectorCase {
        classic(id, .reject("decode")) { $0.changeEncrypted = change }
    }

    private var textsAndParts: [VectorCase] {
        let signed = JWSBlueprint(
            payload: classic("classic-signed-only").payload.encoded, signer: .es256(current.signingKey))
        return [
            token("empty") { _ in "" }, token("dots-alone") { _ in "...." }, token("text") { _ in "integrity token" },
            token("with-leading-space") { " " + $0 }, token("with-trailing-space") { $0 + " " },
            token("with-trailing-line-feed") { $0 + "\n" }, token("with-trailing-nul") { $0 + "\u{0}" },
            token("with-line-break-inside") { "\($0.prefix(100))\r\n\($0.dropFirst(100))" },
            token("with-combining-mark") { $0 + "\u{301}" }, token("with-letter-beyond-ascii") { $0.dropLast() + "é" },
            token("in-quotes") { "\"\($0)\"" }, token("truncated") { String($0.dropLast()) },
            token("as-json-serialisation") {
                let parts = $0.split(separator: ".")
                return JSONItem.object([
                    "protected": .text(String(parts[0])), "encrypted_key": .text(String(parts[1])),
                    "iv": .text(String(parts[2])), "ciphertext": .text(String(parts[3])),
                    "tag": .text(String(parts[4])),
                ]).text
            },
            token("beyond-every-size") { $0 + String(repeating: "A", count: 70_000) },
            token("of-50000-dots") { _ in String(repeating: ".", count: 50_000) },
            parts("of-4-parts") { $0.removeLast() }, parts("of-6-parts") { $0.append("") },
            parts("of-6-parts-all-full") { $0.append($0[4]) }, parts("of-3-parts") { $0.removeLast(2) },
            classic("signed-only", .reject("decode")) {
                let text = try? signed.mint()
                $0.changeToken = { _ in text ?? "" }
            },
            parts("without-header") { $0[0] = "" }, parts("without-encrypted-key") { $0[1] = "" },
            parts("without-iv") { $0[2] = "" }, parts("without-tag") { $0[4] = "" },
        ]
    }

    private var base64: [VectorCase] {
        let names = ["header", "encrypted-key", "iv", "ciphertext", "tag"]
        let foreign = names.indices.flatMap { index in
            [
                parts("\(names[index])-with-padding") { $0[index] += "=" },
                parts("\(names[index])-with-space") { $0[index] += " " },
                parts("\(names[index])-of-impossible-length") {
                    $0[index] += String(repeating: "A", count: (5 - $0[index].count % 4) % 4)
                },
                parts("\(names[index])-in-the-standard-alphabet") { $0[index] = "+/" + $0[index].dropFirst(2) },
            ]
        }
        // 40 bytes and 16 bytes leave four unused bits. Header and ciphertext get lengths that leave some too.
        let spare = [1, 4].map { index in
            parts("\(names[index])-with-a-spare-bit") { $0[index] = Base64URL.withSpareBit($0[index]) ?? "" }
        }
        return foreign + spare + [
            classic("header-with-a-spare-bit", .reject("decode")) {
                $0.changeEncrypted = {
                    $0.changeHeader = { $0 + [UInt8](repeating: 0x20, count: 4 - $0.count % 3) }
                    $0.changeParts = { $0[0] = Base64URL.withSpareBit($0[0]) ?? "" }
                }
            },
            classic("ciphertext-with-a-spare-bit", .reject("decode")) {
                // Header and signature have 20 and 86 characters, so the payload decides.
                $0.changePayload = { payload in
                    let padded = (0..<9).map { payload + [UInt8](repeating: 0x20, count: $0) }
                    return padded.first { Base64URL.text($0).count % 3 == 1 } ?? payload
                }
                $0.changeEncrypted = { $0.changeParts = { $0[3] = Base64URL.withSpareBit($0[3]) ?? "" } }
            },
        ]
    }

    private var headers: [VectorCase] {
        let good = #""alg":"A256KW","enc":"A256GCM""#
        return [
            header("empty") { _ in [] }, header("not-json", text: "A256KW"), header("as-array", text: "[{\(good)}]"),
            header("empty-object", text: "{}"), header("without-algorithm", text: #"{"enc":"A256GCM"}"#),
            header("without-encryption", text: #"{"alg":"A256KW"}"#),
            header("algorithm-null", text: #"{"alg":null,"enc":"A256GCM"}"#),
            header("algorithm-as-number", text: #"{"alg":256,"enc":"A256GCM"}"#),
            header("algorithm-as-list", text: #"{"alg":["A256KW"],"enc":"A256GCM"}"#),
            header("encryption-as-list", text: #"{"alg":"A256KW","enc":["A256GCM"]}"#),
            header("algorithm-twice", text: #"{"alg":"A256KW","enc":"A256GCM","alg":"A256KW"}"#),
            header("algorithm-twice-differing", text: #"{"alg":"dir","enc":"A256GCM","alg":"A256KW"}"#),
            header("algorithm-twice-with-escape", text: #"{\#(good),"\u0061lg":"dir"}"#),
            header("other-name-twice", text: #"{\#(good),"kid":"1","kid":"1"}"#),
            header("critical-unknown", text: #"{\#(good),"crit":["exp"],"exp":1}"#),
            header("critical-empty", text: #"{\#(good),"crit":[]}"#),
            header("critical-as-text", text: #"{\#(good),"crit":"alg"}"#),
            header("compressed", text: #"{\#(good),"zip":"DEF"}"#),
            header("compression-none", text: #"{\#(good),"zip":""}"#),
            header("with-byte-order-mark") { [0xEF, 0xBB, 0xBF] + $0 },
            header("with-trailing-byte") { $0 + [0x00] }, header("with-second-object") { $0 + $0 },
            header("with-trailing-comma", text: "{\(good),}"), header("with-comment", text: "{\(good)/**/}"),
            header("with-invalid-utf-8") { Array($0.dropLast()) + Array(",\"x\":\"".utf8) + [0xFF, 0x22, 0x7D] },
            header("truncated") { Array($0.dropLast()) },
            header(
                "nested-5000-deep",
                text: "{\(good),\"x\":" + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
                    + "}"),
        ]
    }

    private var lengths: [VectorCase] {
        let short = bytes("content-key/short", count: 16)
        let other = bytes("iv/long", count: 16)
        let keys = [0, 8, 24, 32, 39, 41, 48].map { count in
            encrypted("encrypted-key-of-\(count)") { $0.changeEncryptedKey = { Array(($0 + $0).prefix(count)) } }
        }
        let vectors = [0, 1, 8, 11, 13, 16].map { count in
            encrypted("iv-of-\(count)") { $0.changeInitializationVector = { Array(($0 + $0).prefix(count)) } }
        }
        let tags = [0, 4, 8, 12, 15, 17, 32].map { count in
            encrypted("tag-of-\(count)") { $0.changeTag = { Array(($0 + $0).prefix(count)) } }
        }
        return keys + vectors + tags + [
            // A token that a library without strict rules would open.
            encrypted("content-key-of-16") { $0.contentKey = short },
            encrypted("iv-of-16-used") { $0.initializationVector = other },
            classic("direct", .reject("decode")) { blueprint in
                let key = blueprint.keys.decryptionKey
                blueprint.changeEncrypted = {
                    $0.keyManagement = .direct
                    $0.contentKey = key
                    $0.header = ["alg": "dir", "enc": "A256GCM"]
                }
            },
        ]
    }
}
