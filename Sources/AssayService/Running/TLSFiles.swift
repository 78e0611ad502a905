import Assay
import AssayCore
import AssayPrimitives
import NIOCore
import NIOSSL
import Synchronization

/// The certificate and key of a listener, read again when the files change.
final class TLSFiles: Sendable {
    private let certificate: String
    private let privateKey: String
    private let clientAuthorities: [NIOSSLCertificate]?
    private let current: Mutex<NIOSSLContextConfigurationOverride>

    /// Reads the files.
    init(certificate: String, privateKey: String, clientAuthorities: String?) throws(ServiceError) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.clientAuthorities = try clientAuthorities.map { (path) throws(ServiceError) in
            try Self.certificates(in: path)
        }
        current = Mutex(try Self.pair(certificate, privateKey))
    }

    /// Reads certificate and key again. ``use(_:)`` brings them into force. Client authorities change only at a restart.
    func read() throws(ServiceError) -> NIOSSLContextConfigurationOverride { try Self.pair(certificate, privateKey) }

    /// Presents a certificate on new connections.
    func use(_ pair: NIOSSLContextConfigurationOverride) { current.withLock { $0 = pair } }

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
        configuration.shutdownTimeout = .seconds(2)
        if let clientAuthorities {
            configuration.trustRoots = .certificates(clientAuthorities)
            configuration.certificateVerification = .noHostnameVerification
        }
        configuration.sslContextCallback = { [weak self] _, promise in
            promise.succeed(self?.current.withLock { $0 } ?? .noChanges)
        }
        return configuration
    }

    private static func pair(
        _ certificate: String, _ privateKey: String
    ) throws(ServiceError) -> NIOSSLContextConfigurationOverride {
        let chain = try certificates(in: certificate)
        var pem = try bytes(of: privateKey, isSecret: true)
        defer { SecretBytes.wipe(&pem) }
        let key: NIOSSLPrivateKey
        // The error of a key is not shown: it may quote the file.
        do { key = try NIOSSLPrivateKey(bytes: pem, format: .pem) } catch {
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

    private static func certificates(in path: String) throws(ServiceError) -> [NIOSSLCertificate] {
        let pem = try bytes(of: path, isSecret: false)
        guard let found = try? NIOSSLCertificate.fromPEMBytes(pem), !found.isEmpty else {
            throw ServiceError("\(path): no certificate in PEM can be read from it")
        }
        return found
    }

    private static func bytes(of path: String, isSecret: Bool) throws(ServiceError) -> [UInt8] {
        do {
            return try TrustedFile.read(path, limit: InputLimits.policy, isSecret: isSecret)
                .withUnsafeBytes { Array($0) }
        } catch {
            throw ServiceError("\(path): \(error.message)")
        }
    }
}
