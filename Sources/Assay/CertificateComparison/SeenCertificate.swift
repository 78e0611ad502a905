public import AssayCore
import AssayPrimitives

extension EvidenceKind {
    /// The certificate that an app saw on its connection to a host, carried by evidence of the platform that covers it.
    public static let mitmCertificate = EvidenceKind("mitm.certificate")
}

/// The certificate that an app saw on its TLS connection to a host, as its parts were sent.
///
/// The app asks for a challenge, connects to the host, computes ``evidenceChallenge(_:host:leaf:)``, and makes evidence of its platform
/// over that value in place of the challenge. A proxy between app and host cannot change what the app reports.
public struct SeenCertificate: Sendable {
    /// The name of the host to which the app connected: lower-case letters, digits, hyphens and periods.
    public let host: String
    /// The certificates that the host presented, DER, the leaf first; empty if the app got none.
    public let chain: [[UInt8]]
    /// The challenge in base64url: that of the ledger, 33 bytes; for a token, the 32 bytes of
    /// `TokenRequest.evidenceChallenge(_:audiences:keyThumbprint:binding:claims:)`.
    public let challenge: String

    /// Composes what an app saw.
    public init(host: String, chain: [[UInt8]], challenge: String) {
        (self.host, self.chain, self.challenge) = (host, chain, challenge)
    }

    /// The value that the carrying evidence contains in place of the challenge: SHA-256 of `assay-certificate`, the challenge, the host
    /// and base64url of the leaf's SHA-256, each as text and followed by a line feed. Evidence may contain the 32 bytes, or their
    /// base64url text.
    ///
    /// - Parameter leaf: the DER certificate of the host.
    public static func evidenceChallenge(_ challenge: String, host: String, leaf: [UInt8]) -> [UInt8] {
        evidenceChallenge(challenge, host: host, leafDigest: Digest.sha256(leaf))
    }

    static func evidenceChallenge(_ challenge: String, host: String, leafDigest: [UInt8]) -> [UInt8] {
        Digest.sha256(
            Array("assay-certificate\n\(challenge)\n\(host)\n\(Base64.encode(leafDigest, .url))\n".utf8))
    }
}

/// What an app saw, decoded. Nothing of it is trusted.
struct DecodedCertificate {
    let host: String
    let leaf: Certificate
    /// The other certificates of the chain, DER.
    let issuers: [[UInt8]]
    /// The challenge as text and bytes.
    let (challengeText, challenge): (String, [UInt8])
    /// SHA-256 of the DER leaf.
    let digest: [UInt8]

    /// - Throws: ``DecodeError`` for a host or challenge of another form, no certificate, too many, and what is no certificate.
    init(_ seen: SeenCertificate) throws(DecodeError) {
        if let objection = HostRule.objection(toHost: seen.host) {
            throw DecodeError(.unexpectedValue, at: 0, field: "host", objection)
        }
        host = seen.host
        do throws(DecodeError) { challenge = try Base64.decode(seen.challenge, .url) } catch {
            throw error.within("challenge")
        }
        guard challenge.count == LedgerChallenge.length || challenge.count == 32 else {
            throw DecodeError(
                .unexpectedLength, at: 0, field: "challenge",
                "expected \(LedgerChallenge.length) bytes of the ledger, or a digest of 32, found \(challenge.count)")
        }
        challengeText = seen.challenge
        guard let first = seen.chain.first else {
            throw DecodeError(
                .missing, at: 0, field: "certificate", "the app got no certificate from the host: nothing was compared")
        }
        guard seen.chain.count <= InputLimits.certificates else {
            throw DecodeError(
                .tooLarge, at: 0, field: "chain",
                "at most \(InputLimits.certificates) certificates are read, found \(seen.chain.count)")
        }
        // The profile that tolerates odd extensions: the bytes are compared, and only a path reads extensions.
        do throws(DecodeError) { leaf = try Certificate(der: first[...], profile: .keystore) } catch {
            throw error.within(seen.chain.count > 1 ? "chain[0]" : "certificate")
        }
        issuers = Array(seen.chain.dropFirst())
        digest = Digest.sha256(first)
    }

    /// SHA-256 of the leaf's DER SubjectPublicKeyInfo (RFC 7858 appendix A).
    var pin: [UInt8] { Digest.sha256(leaf.subjectPublicKeyInfo) }

    /// The value that evidence over this certificate contains.
    var derived: [UInt8] {
        SeenCertificate.evidenceChallenge(challengeText, host: host, leafDigest: digest)
    }

    /// The certificate for messages, with texts of the certificate escaped.
    var description: String {
        "\(leaf.subjectDescription) of \(leaf.issuerDescription), SHA-256 \(digest.hexadecimal)"
    }
}
