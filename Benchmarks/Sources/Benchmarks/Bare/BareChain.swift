import CBareOpenSSL
import Foundation

/// `X509_verify_cert` over a leaf and an intermediate under a root, at a given time, with the root's store made beforehand.
///
/// One at a time: contenders take turns.
final class BareChain: @unchecked Sendable {
    private let store: OpaquePointer
    private let leafBytes: [UInt8]
    private let intermediateBytes: [UInt8]
    private let leaf: OpaquePointer
    private let intermediate: OpaquePointer
    private let time: time_t

    /// - Parameters:
    ///   - certificates: leaf and intermediate in DER.
    ///   - root: the trust anchor in DER.
    init?(_ certificates: [[UInt8]], root: [UInt8], at time: Date) {
        guard certificates.count == 2, let store = X509_STORE_new(), let anchor = Self.parse(root),
            let leaf = Self.parse(certificates[0]), let intermediate = Self.parse(certificates[1]),
            X509_STORE_add_cert(store, anchor) == 1
        else { return nil }
        // The store has a reference of its own.
        X509_free(anchor)
        self.store = store
        (leafBytes, intermediateBytes) = (certificates[0], certificates[1])
        (self.leaf, self.intermediate) = (leaf, intermediate)
        self.time = time_t(time.timeIntervalSince1970)
    }

    deinit {
        X509_free(leaf)
        X509_free(intermediate)
        X509_STORE_free(store)
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_X509(nil, &position, buffer.count)
        }
    }

    /// Verifies the certificates that were parsed beforehand, and whose extensions and keys OpenSSL has kept since.
    func verifyParsed() -> Bool { verify(leaf, intermediate) }

    /// Parses the certificates and verifies them, as a server does with those that evidence brings.
    func verifyFromBytes() -> Bool {
        guard let leaf = Self.parse(leafBytes) else { return false }
        defer { X509_free(leaf) }
        guard let intermediate = Self.parse(intermediateBytes) else { return false }
        defer { X509_free(intermediate) }
        return verify(leaf, intermediate)
    }

    private func verify(_ leaf: OpaquePointer, _ intermediate: OpaquePointer) -> Bool {
        guard let context = X509_STORE_CTX_new() else { return false }
        defer { X509_STORE_CTX_free(context) }
        guard let others = OPENSSL_sk_new_null() else { return false }
        defer { OPENSSL_sk_free(others) }
        guard OPENSSL_sk_push(others, UnsafeRawPointer(intermediate)) == 1,
            X509_STORE_CTX_init(context, store, leaf, others) == 1
        else { return false }
        X509_STORE_CTX_set_time(context, 0, time)
        return X509_verify_cert(context) == 1
    }

    /// Parses one certificate and frees it.
    static func canParse(_ der: [UInt8]) -> Bool {
        guard let certificate = parse(der) else { return false }
        X509_free(certificate)
        return true
    }
}
