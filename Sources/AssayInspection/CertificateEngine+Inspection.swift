package import Assay

extension CertificateEngine: InspectableEngine {
    package static let title = "Certificates of hosts"

    package static let fields: [InspectedField] = [
        ("host", "the host to which the app connected"),
        ("certificate", "the certificate that the app saw"),
        ("chain", "the certificates that the app saw, the leaf first"),
        ("challenge", "the challenge, which the carried evidence covers with host and certificate"),
        ("binding", "the evidence that carries the certificate"),
        ("presented", "what the host's addresses presented at the time of the capture"),
    ].map { InspectedField(.mitmCertificate, $0, $1) }
}
