import AssayCore
import AssayPrimitives
import AssayTesting

extension FuzzTarget {
    /// Compact JWSs and JWEs: each has one text, and only signed or encrypted ones are accepted.
    ///
    /// The first byte states what the rest is: a text, the header of a JWS, or the header of a JWE. `run` encodes
    /// headers in base64url, because few edits of base64url leave a valid header.
    static let jose = FuzzTarget(
        name: "jose", maximumLength: 768,
        dictionary: [
            "alg", "enc", "kid", "typ", "crit", "zip", "b64", "HS256", "ES256", "RS256", "none", "A256KW", ".",
        ],
        seeds: { try JOSEReading.seeds() },
        run: { input in
            guard let form = input.first else { return false }
            let rest = Array(input[1...])
            let header = Base64.encode(rest, .url)
            switch form % 3 {
            case 0: return JOSEReading.judge(rest)
            case 1: return JOSEReading.judge(Array("\(header).e30.AAAA".utf8))
            default: return JOSEReading.judge(Array("\(header).AAAA.AAAA.AAAA.AAAA".utf8))
            }
        })

    /// Key sets: key IDs are unique, and each ID finds its key.
    static let keySet = FuzzTarget(
        name: "key-set", maximumLength: 2048,
        dictionary: [
            "keys", "kty", "kid", "RSA", "EC", "oct", "OKP", "crv", "P-256", "use", "sig", "key_ops", "verify", "alg",
            "d",
        ],
        seeds: { try JOSEReading.keySets() },
        run: { input in
            let read = Reading(input) { (bytes) throws(DecodeError) in
                try JWKSet(bytes)
            } isSame: {
                $0.keyIDs == $1.keyIDs
            }
            guard let set = read.value else { return false }
            for (index, keyID) in set.keyIDs.enumerated() {
                require(!set.keyIDs[..<index].containsBytes(of: keyID), "a key ID twice: \(keyID)")
                require(set.key(keyID) != nil, "a key ID without its key: \(keyID)")
            }
            let kinds = Set(set.keyIDs.compactMap { set.key($0)?.algorithm == "HS256" })
            require(kinds.count <= 1, "symmetric and asymmetric keys in one set")
            return true
        })
}

/// Seeds of JOSE objects, and the rules for all of them.
private enum JOSEReading {
    private static let secret = [UInt8](repeating: 0x2A, count: 32)
    private static let point = TestKey(.p256, seed: "assay fuzz", label: "jose")
    private static let payload = Array(#"{"sub":"x"}"#.utf8)

    /// The keys that the seeds are signed or encrypted with.
    private static let verifiers: [JWSKey] = [
        try? JWSKey.hs256(SecretBytes(secret)),
        try? JWSKey.es256(ECDSAPublicKey(x963: point.publicPoint, curve: .p256)),
    ].compactMap { $0 }
    private static let decrypters: [JWEKey] = [
        try? JWEKey.a256KW(SecretBytes(secret)), try? JWEKey.a256GCMKW(SecretBytes(secret)),
    ].compactMap { $0 }

    static func seeds() throws(MintingError) -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for signer in [JWSBlueprint.Signer.hs256(secret), .es256(point), .none] {
            seeds.append([0] + Array(try JWSBlueprint(payload: payload, signer: signer).mint().utf8))
        }
        let vector = [UInt8](repeating: 3, count: 12)
        for management in [
            JWEBlueprint.KeyManagement.keyWrap(secret), .gcmKeyWrap(secret, initializationVector: vector), .direct,
        ] {
            let blueprint = JWEBlueprint(
                plaintext: payload, keyManagement: management, contentKey: secret, initializationVector: vector)
            seeds.append([0] + Array(try blueprint.mint().utf8))
        }
        let header = #"{"alg":"HS256","kid":"k","typ":"JWT","enc":"A256GCM","iv":"AAAA","tag":"AAAA"}"#
        return seeds + [[1] + Array(header.utf8), [2] + Array(header.utf8)]
    }

    static func keySets() throws(MintingError) -> [[UInt8]] {
        let x = Base64.encode(Array(point.publicPoint[1..<33]), .url)
        let y = Base64.encode(Array(point.publicPoint[33...]), .url)
        let ec = #"{"kty":"EC","crv":"P-256","kid":"a","use":"sig","alg":"ES256","x":"\#(x)","y":"\#(y)"}"#
        let oct = #"{"kty":"oct","kid":"b","key_ops":["verify"],"k":"\#(Base64.encode(secret, .url))"}"#
        let modulus = Base64.encode(try RSATestKey.published().modulus, .url)
        return [
            #"{"keys":[\#(ec),{"kty":"OKP","kid":"c"}]}"#, #"{"keys":[\#(oct)]}"#, #"{"keys":[]}"#,
            #"{"keys":[{"kty":"RSA","kid":"r","n":"\#(modulus)","e":"AQAB"}]}"#,
        ].map { Array($0.utf8) }
    }

    /// Checks a text against the rules. Returns whether it is a JWS or a JWE.
    static func judge(_ text: [UInt8]) -> Bool {
        let signed = Reading(text, by: readJWS, isSame: isSame)
        if let jws = signed.value {
            let parts = [jws.signingInput, ArraySlice(Base64.encode(jws.signature, .url).utf8)]
            FuzzTarget.require(Array(parts.joined(separator: [0x2E])) == text, "one JWS with two texts")
            for key in verifiers where (try? key.verify(jws)) != nil {
                FuzzTarget.require(jws.payload == payload, "a payload that nobody signed")
                FuzzTarget.require(jws.header.algorithm == key.algorithm, "another algorithm than the key's")
            }
        }
        let encrypted = Reading(text, by: readJWE, isSame: isSame)
        guard let jwe = encrypted.value else { return signed.value != nil }
        FuzzTarget.require(signed.value == nil, "one text that is a JWS and a JWE")
        let parts = [jwe.encryptedKey, jwe.initializationVector, jwe.ciphertext, jwe.tag]
        let written = [Array(jwe.additionalData)] + parts.map { Array(Base64.encode($0, .url).utf8) }
        FuzzTarget.require(Array(written.joined(separator: [0x2E])) == text, "one JWE with two texts")
        for key in decrypters {
            guard let plaintext = try? key.decrypt(jwe) else { continue }
            FuzzTarget.require(plaintext == payload, "a plaintext that nobody encrypted")
        }
        return true
    }

    private static func readJWS(_ text: ArraySlice<UInt8>) throws(DecodeError) -> CompactJWS {
        try CompactJWS(text, limit: InputLimits.joseText)
    }

    private static func isSame(_ first: CompactJWS, _ second: CompactJWS) -> Bool {
        first.payload == second.payload && first.signature == second.signature
            && first.header.algorithm.isByteEqual(to: second.header.algorithm)
    }

    private static func readJWE(_ text: ArraySlice<UInt8>) throws(DecodeError) -> CompactJWE {
        try CompactJWE(text, limit: InputLimits.joseText)
    }

    private static func isSame(_ first: CompactJWE, _ second: CompactJWE) -> Bool {
        first.ciphertext == second.ciphertext && first.tag == second.tag
            && first.header.algorithm.isByteEqual(to: second.header.algorithm)
    }
}
