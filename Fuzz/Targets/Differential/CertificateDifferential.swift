import AssayCore
import AssayPrimitives
import COpenSSL
import FoundationEssentials

extension FuzzTarget {
    /// Certificates against OpenSSL, in one direction: if Assay reads a certificate, OpenSSL reads all of it, with the
    /// same parts.
    ///
    /// By the rules of RFC 5280, Assay refuses many certificates that OpenSSL accepts; the certificate suites list
    /// them. Declared difference: Assay does not read the parameters of unknown algorithms, while OpenSSL refuses a
    /// certificate with malformed ones.
    static let certificateAndOpenSSL = FuzzTarget(
        name: "certificate-openssl", maximumLength: 2048, dictionary: certificate.dictionary, seeds: certificate.seeds,
        run: { input in
            defer { ERR_clear_error() }
            guard let certificate = try? Certificate(der: input[...]),
                OpenSSLCertificate.knowsAlgorithms(of: certificate)
            else { return false }
            guard let theirs = OpenSSLCertificate(input) else {
                broken("read here and refused by OpenSSL: \(certificate.subjectDescription)")
            }
            require(theirs.serialNumber == Array(certificate.serialNumber), "two serial numbers")
            require(theirs.issuer == Array(certificate.issuer), "two issuers")
            require(theirs.subject == Array(certificate.subject), "two subjects")
            require(theirs.publicKey == Array(certificate.subjectPublicKeyInfo), "two keys")
            require(theirs.signature == Array(certificate.signature), "two signatures")
            require(theirs.version == certificate.version, "two versions")
            require(
                theirs.validity == [certificate.notBefore, certificate.notAfter].map(\.timeIntervalSince1970),
                "two times of validity: \(theirs.validity)")
            require(
                theirs.extensions.map(\.value) == certificate.extensions.map { Array($0.value) }
                    && theirs.extensions.map(\.isCritical) == certificate.extensions.map(\.isCritical),
                "other extensions")
            return true
        })
}

/// The parts of a certificate as OpenSSL reads them.
struct OpenSSLCertificate {
    let version: Int
    let serialNumber: [UInt8]
    let issuer: [UInt8]
    let subject: [UInt8]
    let validity: [Double]
    let publicKey: [UInt8]
    let signature: [UInt8]
    let extensions: [(isCritical: Bool, value: [UInt8])]

    /// Nil if OpenSSL refuses the bytes, or if bytes follow the certificate.
    init?(_ bytes: [UInt8]) {
        var consumed = 0
        let certificate = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let certificate = d2i_X509(nil, &cursor, buffer.count)
            if let start = buffer.baseAddress, let cursor { consumed = cursor - start }
            return certificate
        }
        guard let certificate else { return nil }
        defer { X509_free(certificate) }
        guard consumed == bytes.count else { return nil }
        version = X509_get_version(certificate) + 1
        let serial = OpenSSLBytes.written { i2d_ASN1_INTEGER(X509_get0_serialNumber(certificate), &$0) } ?? []
        serialNumber = Array(serial.dropFirst(2))
        issuer = OpenSSLBytes.written { i2d_X509_NAME(X509_get_issuer_name(certificate), &$0) } ?? []
        subject = OpenSSLBytes.written { i2d_X509_NAME(X509_get_subject_name(certificate), &$0) } ?? []
        publicKey = OpenSSLBytes.written { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &$0) } ?? []
        validity = [X509_get0_notBefore(certificate), X509_get0_notAfter(certificate)].map(Self.seconds)
        var bits: UnsafePointer<ASN1_BIT_STRING>?
        X509_get0_signature(&bits, nil, certificate)
        signature = Self.bytes(bits)
        extensions = (0..<max(0, X509_get_ext_count(certificate))).map { index in
            let found = X509_get_ext(certificate, index)
            return (X509_EXTENSION_get_critical(found) == 1, Self.bytes(UnsafePointer(X509_EXTENSION_get_data(found))))
        }
    }

    /// Whether Assay knows the algorithms of a certificate, and so reads their parameters.
    static func knowsAlgorithms(of certificate: Certificate) -> Bool {
        if case .other = certificate.signatureAlgorithm { return false }
        return (try? certificate.publicKey()) != nil
            || (try? RSAPublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo)) != nil
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8] {
        Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }

    /// Seconds since 1970; NaN if it is not a time.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Double {
        var fields = tm()
        guard ASN1_TIME_to_tm(time, &fields) == 1,
            let days = RFC3339.daysSince1970(
                year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday))
        else { return .nan }
        return Double((days * 24 + Int(fields.tm_hour)) * 3600 + Int(fields.tm_min) * 60 + Int(fields.tm_sec))
    }
}
