import AssayCore

/// The public key of an attested certificate, checked to be one that can be used.
enum AttestedKey: Sendable {
    /// A point on P-256 or P-384.
    case ecdsa(ECDSAPublicKey)
    /// A point on P-521.
    case p521
    /// An RSA key from 2048 bits on.
    case rsa(RSAPublicKey)

    init(_ info: ArraySlice<UInt8>) throws(CheckFailure) {
        if let key = try? ECDSAPublicKey(subjectPublicKeyInfo: info) {
            self = .ecdsa(key)
            return
        }
        if (try? P521PublicKey(subjectPublicKeyInfo: info)) != nil {
            self = .p521
            return
        }
        do throws(DecodeError) {
            self = .rsa(try RSAPublicKey(subjectPublicKeyInfo: info))
        } catch {
            throw Self.failure(info, error)
        }
    }

    /// The algorithm as policies name it.
    var algorithm: AndroidKeyConfiguration.KeyAlgorithm {
        switch self {
        case .ecdsa(let key): key.curve == .p256 ? .p256 : .p384
        case .p521: .p521
        case .rsa: .rsa
        }
    }

    /// The algorithm with its size, such as `ec-p256` or `rsa-2048`.
    var description: String {
        if case .rsa = self { "rsa-\(bits)" } else { algorithm.rawValue }
    }

    /// The size in bits, as tag 3 has it.
    var bits: Int {
        switch self {
        case .ecdsa(let key): key.curve == .p256 ? 256 : 384
        case .p521: 521
        case .rsa(let key): key.modulusLength * 8
        }
    }

    /// The value of tag 2.
    var algorithmNumber: UInt64 { if case .rsa = self { 1 } else { 3 } }

    /// The value of tag 10; nil for RSA.
    var curveNumber: UInt64? {
        switch self {
        case .ecdsa(let key): key.curve == .p256 ? 1 : 2
        case .p521: 3
        case .rsa: nil
        }
    }

    private static let mlDSA: [ObjectIdentifier: String] = [
        ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 3, 17): "ML-DSA-44",
        ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 3, 18): "ML-DSA-65",
        ObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 3, 19): "ML-DSA-87",
    ]
    private static let rsaEncryption = ObjectIdentifier(1, 2, 840, 113549, 1, 1, 1)

    /// Why a key cannot be used, by its algorithm.
    private static func failure(_ info: ArraySlice<UInt8>, _ problem: DecodeError) -> CheckFailure {
        guard let oid = algorithm(of: info) else {
            return CheckFailure(.keyUnusable, "the SubjectPublicKeyInfo of the attested key cannot be read")
        }
        if let name = mlDSA[oid] {
            return CheckFailure(
                .keyUnsupported, "the attested key is an \(name) key, which Assay cannot verify signatures of yet")
        }
        if oid == rsaEncryption { return CheckFailure(.keyUnusable, problem.message) }
        return CheckFailure(
            .keyUnusable,
            "the attested key, of algorithm \(oid), is neither a point of P-256, P-384 or P-521 nor an RSA key")
    }

    private static func algorithm(of info: ArraySlice<UInt8>) -> ObjectIdentifier? {
        guard var reader = try? DERReader.single(.sequence, in: info).reader,
            var algorithm = try? reader.readConstructed(.sequence),
            let oid = try? algorithm.read(.objectIdentifier)
        else { return nil }
        return try? ObjectIdentifier(oid)
    }
}

extension CheckCode {
    static let keyUnusable = CheckCode(
        "key-unusable", "The attested key is on another curve, too short, or no public key: make a P-256 key.",
        remedy: .newAttestation)
    static let keyUnsupported = CheckCode(
        "key-unsupported", "The attested key is an ML-DSA key, which Assay does not support yet: make a P-256 key.",
        remedy: .newAttestation)
}
