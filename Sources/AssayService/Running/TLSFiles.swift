import Assay
import AssayPrimitives
import NIOCore
import NIOSSL
import Synchronization

/// The certificate and key of a listener, read again when the files change.
final class TLSFiles: Sendable {
    /// A certificate with its key. Connections share one context: each would otherwise parse and keep a certificate of its own.
    struct Pair: Sendable {
        fileprivate let chain: [NIOSSLCertificate]
        fileprivate let key: NIOSSLPrivateKey
        fileprivate let context: NIOSSLContext
    }

    private let certificate: String
    private let privateKey: String
    private let clientAuthorities: [NIOSSLCertificate]?
    private let current: Mutex<Pair>

    /// Reads the files.
    init(certificate: String, privateKey: String, clientAuthorities: String?) throws(ServiceError) {
        self.certificate = certificate
        self.privateKey = privateKey
        let authorities = try clientAuthorities.map { (path) throws(ServiceError) in try Self.certificates(in: path) }
        self.clientAuthorities = authorities
        current = Mutex(try Self.pair(certificate, privateKey, authorities))
    }

    /// Reads certificate and key again. ``use(_:)`` brings them into force. Client authorities change only at a restart.
    func read() throws(ServiceError) -> Pair { try Self.pair(certificate, privateKey, clientAuthorities) }

    /// Presents a certificate on new connections. The context of the same one stays: clients resume its sessions.
    func use(_ pair: Pair) {
        current.withLock { if $0.chain != pair.chain || $0.key != pair.key { $0 = pair } }
    }

    /// The context of the next connection.
    var context: NIOSSLContext { current.withLock { $0.context } }

    /// When the certificate ends, in seconds since 1970.
    var end: Int64? { current.withLock { $0.chain.first.map { Int64($0.notValidAfter) } } }

    private static func pair(
        _ certificate: String, _ privateKey: String, _ clientAuthorities: [NIOSSLCertificate]?
    ) throws(ServiceError) -> Pair {
        let chain = try certificates(in: certificate)
        var pem = try bytes(of: privateKey, isSecret: true)
        defer { SecretBytes.wipe(&pem) }
        let key: NIOSSLPrivateKey
        // The error of a key is not shown: it may quote the file.
        do { key = try NIOSSLPrivateKey(bytes: pem, format: .pem) } catch {
            throw ServiceError("\(privateKey): no private key in PEM can be read from it")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .seconds(2)
        if let clientAuthorities {
            configuration.trustRoots = .certificates(clientAuthorities)
            configuration.certificateVerification = .noHostnameVerification
        }
        // Fails for a key of another certificate.
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw ServiceError("\(certificate) and \(privateKey) do not belong together")
        }
        return Pair(chain: chain, key: key, context: context)
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
