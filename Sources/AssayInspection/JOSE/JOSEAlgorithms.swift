/// Descriptions of the algorithms of JOSE (RFC 7518), and the lengths of their results.
enum JOSEAlgorithms {
    /// Describes `alg` of a JWS.
    static func signature(_ name: String) -> String? {
        switch name {
        case "ES256": "ECDSA with P-256 and SHA-256"
        case "ES384": "ECDSA with P-384 and SHA-384"
        case "ES512": "ECDSA with P-521 and SHA-512"
        case "ES256K": "ECDSA with secp256k1 and SHA-256"
        case "RS256", "RS384", "RS512": "RSASSA-PKCS1-v1_5 with SHA-\(name.suffix(3))"
        case "PS256", "PS384", "PS512": "RSASSA-PSS with SHA-\(name.suffix(3))"
        case "HS256", "HS384", "HS512": "HMAC with SHA-\(name.suffix(3)): the key that verifies also signs"
        case "EdDSA", "Ed25519": "EdDSA"
        case _ where LenientText.lowercased(name) == "none": "not signed at all: any client can write it"
        default: nil
        }
    }

    /// The length of a signature or MAC in bytes, if the algorithm determines it.
    static func signatureLength(_ name: String) -> Int? {
        switch name {
        case "ES256", "ES256K", "EdDSA", "Ed25519", "HS512": 64
        case "ES384": 96
        case "ES512": 132
        case "HS256": 32
        case "HS384": 48
        default: nil
        }
    }

    /// Describes `alg` of a JWE.
    static func keyEncryption(_ name: String) -> String? {
        switch name {
        case "A128KW", "A192KW", "A256KW": "AES key wrap with a shared key of \(name.dropFirst().prefix(3)) bits"
        case "A128GCMKW", "A192GCMKW", "A256GCMKW":
            "AES-GCM key encryption with a shared key of \(name.dropFirst().prefix(3)) bits"
        case "RSA-OAEP": "RSAES-OAEP with SHA-1"
        case "RSA-OAEP-256": "RSAES-OAEP with SHA-256"
        case "RSA1_5": "RSAES-PKCS1-v1_5, which is obsolete"
        case "dir": "the shared key encrypts the content itself"
        case "ECDH-ES": "ECDH, whose result encrypts the content itself"
        case "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW": "ECDH, and AES key wrap with its result"
        case _ where name.hasPrefix("PBES2-"): "a key from a password"
        default: nil
        }
    }

    /// Describes `enc`, with the lengths of initialization vector and tag.
    static func contentEncryption(_ name: String) -> (description: String, vector: Int, tag: Int)? {
        switch name {
        case "A128GCM", "A192GCM", "A256GCM": ("AES-GCM with \(name.dropFirst().prefix(3)) bits", 12, 16)
        case "A128CBC-HS256": ("AES-CBC with 128 bits and HMAC with SHA-256", 16, 16)
        case "A192CBC-HS384": ("AES-CBC with 192 bits and HMAC with SHA-384", 16, 24)
        case "A256CBC-HS512": ("AES-CBC with 256 bits and HMAC with SHA-512", 16, 32)
        default: nil
        }
    }

    /// The length of the encrypted key in bytes, if the algorithms determine it: the key, and 8 bytes for a key wrap.
    static func encryptedKeyLength(_ algorithm: String, _ encryption: String) -> Int? {
        let keyLengths = [
            "A128GCM": 16, "A192GCM": 24, "A256GCM": 32, "A128CBC-HS256": 32, "A192CBC-HS384": 48, "A256CBC-HS512": 64,
        ]
        guard let keyLength = keyLengths[encryption] else { return nil }
        switch algorithm {
        case "A128KW", "A192KW", "A256KW", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW": return keyLength + 8
        case "A128GCMKW", "A192GCMKW", "A256GCMKW": return keyLength
        case "dir", "ECDH-ES": return 0
        default: return nil
        }
    }
}
