internal import COpenSSL

/// Builds and verifies a whole path with OpenSSL's `X509_verify_cert`: signatures, names, CA and path length rules of
/// RFC 5280 section 6. ``CertificateRules`` checks times, algorithms and critical extensions before.
final class OpenSSLPathBuilder: Sendable {
    enum Outcome {
        /// The certificates above the leaf, the anchor last.
        case issuers([Certificate])
        /// OpenSSL's error, and the certificate that caused it.
        case failure(code: Int, text: String, certificate: Certificate)
    }

    private let anchors: [(certificate: Certificate, prepared: X509Handle?)]

    /// Prepares the anchors. An anchor whose allocation fails now is read again at each use.
    init(anchors: [Certificate]) {
        self.anchors = anchors.map { anchor in
            let handle = X509Handle(anchor)
            return (anchor, handle?.isWhole == true ? handle : nil)
        }
    }

    /// Verifies a leaf with `candidates` as possible intermediates, and the anchors for which `isUsable` returns true.
    func build(
        leaf: Certificate, candidates: [Certificate], isUsable: (Certificate) -> Bool
    ) -> Outcome {
        OpenSSLErrors.clear()
        guard let leafHandle = X509Handle(leaf) else {
            return .failure(code: 0, text: OpenSSLErrors.drain(), certificate: leaf)
        }
        let given = candidates.compactMap { candidate in X509Handle(candidate).map { (candidate, $0) } }
        // Skip anchors that OpenSSL cannot read. This can only reject more paths.
        let trusted = anchors.filter { isUsable($0.certificate) }.compactMap { anchor, prepared in
            (prepared ?? X509Handle(anchor)).map { (certificate: anchor, handle: $0) }
        }
        guard let untrustedStack = X509Stack(given.map(\.1)), let trustedStack = X509Stack(trusted.map(\.handle)),
            let context = VerificationContext(leaf: leafHandle, untrusted: untrustedStack, trusted: trustedStack)
        else { return .failure(code: 0, text: OpenSSLErrors.drain(), certificate: leaf) }

        let all = [(leaf, leafHandle)] + given + trusted.map { ($0.certificate, $0.handle) }
        switch context.verify() {
        case .chain(let identities):
            let chain = identities.compactMap { identity in all.first { $0.1.identity == identity }?.0 }
            OpenSSLErrors.clear()
            guard chain.count == identities.count, chain.count >= 2 else {
                return .failure(code: 0, text: "OpenSSL returned no path", certificate: leaf)
            }
            return .issuers(Array(chain.dropFirst()))
        case .error(let code, let text, let identity):
            OpenSSLErrors.clear()
            return .failure(
                code: code, text: text, certificate: all.first { $0.1.identity == identity }?.0 ?? leaf)
        }
    }
}

/// Owns an X509.
@safe private final class X509Handle: @unchecked Sendable {
    // Unchecked: X509_check_purpose fills in the lazy fields; later uses only read, or count references atomically.
    fileprivate let pointer: OpaquePointer

    /// Identifies the handle by its address.
    var identity: UInt { unsafe UInt(bitPattern: pointer) }

    /// Whether OpenSSL has also read the public key and the extensions. It never retries after a failed allocation.
    let isWhole: Bool

    init?(_ certificate: Certificate) {
        let pointer = unsafe certificate.der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            return unsafe d2i_X509(nil, &cursor, buffer.count)
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
        unsafe isWhole = X509_check_purpose(pointer, -1, 0) == 1 && X509_get0_pubkey(pointer) != nil
    }

    deinit {
        unsafe X509_free(pointer)
    }
}

/// Owns a stack, and retains its handles.
@safe private final class X509Stack {
    fileprivate let pointer: OpaquePointer
    private let handles: [X509Handle]

    init?(_ handles: [X509Handle]) {
        guard let pointer = unsafe assay_x509_stack_new() else { return nil }
        unsafe self.pointer = pointer
        self.handles = handles
        for handle in handles {
            guard unsafe assay_x509_stack_push(pointer, handle.pointer) > 0 else { return nil }
        }
    }

    deinit {
        unsafe assay_x509_stack_free(pointer)
    }
}

/// Owns an X509_STORE_CTX, and retains the objects it refers to.
@safe private final class VerificationContext {
    enum Result {
        case chain([UInt])
        case error(code: Int, text: String, identity: UInt)
    }

    private let pointer: OpaquePointer
    private let leaf: X509Handle
    private let stacks: [X509Stack]

    init?(leaf: X509Handle, untrusted: X509Stack, trusted: X509Stack) {
        guard let pointer = unsafe X509_STORE_CTX_new() else { return nil }
        unsafe self.pointer = pointer
        self.leaf = leaf
        stacks = [untrusted, trusted]
        // No store: only the trusted stack counts, never the system's roots.
        guard unsafe X509_STORE_CTX_init(pointer, nil, leaf.pointer, untrusted.pointer) == 1,
            let parameters = unsafe X509_STORE_CTX_get0_param(pointer)
        else { return nil }
        unsafe X509_STORE_CTX_set0_trusted_stack(pointer, trusted.pointer)
        // PARTIAL_CHAIN: anchors need not be self-signed. NO_CHECK_TIME: OpenSSL treats notAfter as exclusive and
        // ignores fractions; the caller passes only candidates and anchors that are valid at the time. Not X509_STRICT:
        // it requires an authority key identifier, which Apple's leaves lack.
        let flags = UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_TRUSTED_FIRST)
        guard unsafe X509_VERIFY_PARAM_set_flags(parameters, flags) == 1 else { return nil }
        unsafe X509_VERIFY_PARAM_set_depth(parameters, Int32(16))
    }

    func verify() -> Result {
        let isVerified = unsafe X509_verify_cert(pointer)
        let code = unsafe X509_STORE_CTX_get_error(pointer)
        guard isVerified == 1, code == X509_V_OK, let chain = unsafe X509_STORE_CTX_get0_chain(pointer) else {
            let text = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
            let current = unsafe X509_STORE_CTX_get_current_cert(pointer)
            return .error(code: Int(code), text: text, identity: UInt(bitPattern: current))
        }
        let count = unsafe assay_x509_stack_count(chain)
        return .chain((0..<count).map { unsafe UInt(bitPattern: assay_x509_stack_value(chain, $0)) })
    }

    deinit {
        unsafe X509_STORE_CTX_free(pointer)
    }
}
