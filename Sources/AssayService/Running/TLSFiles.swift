import FoundationEssentials
import NIOCore
import NIOSSL
import Synchronization

/// The certificate and key of a listener, read again when the files change.
final class TLSFiles: Sendable {
    private let certificate: String
    private let privateKey: String
    private let clientAuthorities: String?
    private let current: Mutex<NIOSSLContextConfigurationOverride>

    /// Reads the files.
    init(certificate: String, privateKey: String, clientAuthorities: String?) throws(ServiceError) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.clientAuthorities = clientAuthorities
        current = Mutex(try Self.read(certificate, privateKey))
    }

    /// Reads certificate and key again for new connections. An unusable pair changes nothing. Client authorities change
    /// only at a restart.
    func reload() throws(ServiceError) {
        let read = try Self.read(certificate, privateKey)
        current.withLock { $0 = read }
    }

    /// When the certificate ends, in seconds since 1970.
    var end: Int64? {
        guard case .certificate(let certificate) = current.withLock({ $0 }).certificateChain?.first else { return nil }
        return Int64(certificate.notValidAfter)
    }

    /// The configuration of the listener.
    func configuration() throws(ServiceError) -> TLSConfiguration {
        let now = current.withLock { $0 }
        guard let chain = now.certificateChain, let key = now.privateKey else {
            throw ServiceError("\(certificate): no certificate")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let clientAuthorities {
            configuration.trustRoots = .file(clientAuthorities)
            configuration.certificateVerification = .noHostnameVerification
        }
        configuration.sslContextCallback = { [weak self] _, promise in
            promise.succeed(self?.current.withLock { $0 } ?? .noChanges)
        }
        return configuration
    }

    private static func read(
        _ certificate: String, _ privateKey: String
    ) throws(ServiceError) -> NIOSSLContextConfigurationOverride {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
            throw ServiceError(
                FileManager.default.isReadableFile(atPath: certificate)
                    ? "\(certificate): no certificate chain in PEM can be read from it"
                    : "\(certificate): the file does not exist or cannot be read")
        }
        // The error of a key is not shown: it may quote the file.
        do { key = try NIOSSLPrivateKey(file: privateKey, format: .pem) } catch {
            throw ServiceError("\(privateKey): no private key in PEM can be read from it")
        }
        do {
            // Fails for a key of another certificate.
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
        } catch {
            throw ServiceError("\(certificate) and \(privateKey) do not belong together")
        }
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = chain.map { .certificate($0) }
        override.privateKey = .privateKey(key)
        return override
    }
}
