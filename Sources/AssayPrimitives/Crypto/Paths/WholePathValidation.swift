internal import COpenSSL
internal import FoundationEssentials

extension CertificatePathValidator {
    /// Builds and verifies the whole path with OpenSSL, from the certificates that pass ``CertificateRules`` at `now`.
    func validateWhole(
        _ leaf: Certificate, candidates: [Certificate], at now: Date
    ) -> Result<ValidatedPath, PathFailure> {
        var unfit: [(certificate: Certificate, failure: PathFailure)] = []
        func isFit(_ certificate: Certificate, _ failure: PathFailure?) -> Bool {
            guard let failure = failure ?? CertificateRules.timeFailure(of: certificate, at: now) else { return true }
            unfit.append((certificate, failure))
            return false
        }
        let fit = candidates.filter { isFit($0, rules.failure(ofIntermediate: $0)) }
        let outcome = builder.build(leaf: leaf, candidates: fit) { isFit($0, rules.failure(ofAnchor: $0)) }
        switch outcome {
        case .issuers(let issuers):
            guard let anchor = issuers.last else { return .failure(.openssl(code: 0, text: "no path")) }
            remember(issuers, issuerName: leaf.issuer, candidates: candidates)
            return .success(ValidatedPath(leaf: leaf, issuers: issuers, anchor: anchor))
        case .failure(let code, let text, let certificate):
            return .failure(failure(code: code, text: text, certificate: certificate, unfit: unfit))
        }
    }

    /// Maps an OpenSSL error to a failure.
    private func failure(
        code: Int, text: String, certificate: Certificate, unfit: [(certificate: Certificate, failure: PathFailure)]
    ) -> PathFailure {
        let subject = certificate.subjectDescription
        switch Int32(truncatingIfNeeded: code) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
            // If the rules excluded the issuer, report their failure instead of a missing issuer.
            let leftOut = unfit.first { $0.certificate.subject == certificate.issuer }
            return leftOut?.failure ?? .untrusted(subject: subject, issuer: certificate.issuerDescription)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE: return .badSignature(subject: subject)
        case X509_V_ERR_INVALID_CA: return .notACA(subject: subject)
        case X509_V_ERR_PATH_LENGTH_EXCEEDED: return .pathLengthExceeded(subject: subject)
        case X509_V_ERR_KEYUSAGE_NO_CERTSIGN: return .keyUsage(subject: subject)
        case X509_V_ERR_CERT_CHAIN_TOO_LONG: return .tooManyCertificates(count: InputLimits.certificates + 1)
        default: return .openssl(code: code, text: text)
        }
    }
}
