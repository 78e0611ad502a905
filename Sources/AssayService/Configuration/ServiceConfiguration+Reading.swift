import Assay
package import AssayCore
import AssayHTTP

extension ServiceConfiguration {
    /// Reads the configuration: defaults, then a file, then the environment, then settings of the command line.
    ///
    /// - Parameters:
    ///   - file: a YAML file; nil for none.
    ///   - environment: the variables of the process. A variable that begins with `ASSAY_` and resembles a key is an error.
    ///   - settings: keys and values in the order of the command line.
    ///   - isPartial: skips the checks for required keys and conflicting keys; for commands that only contact a running
    ///     service.
    /// - Throws: `PolicyError` with file, line and key, or with the variable or option in place of the file; also for a file that every
    ///   user of the machine may replace.
    package init(
        file: String?, environment: [String: String], settings: [(key: String, value: String)], isPartial: Bool = false
    ) throws(PolicyError) {
        self.init()
        if let file { try read(try PolicyFile.document(path: file), "") }
        try read(environment)
        for (name, value) in settings {
            guard let key = ServiceKey.all.first(where: { $0.path.isByteEqual(to: name) }) else {
                throw PolicyError(
                    field: name.excerpt, "no such key; `assay serve --help` lists them" + Self.advice(for: name))
            }
            try read(value, of: key, named: name)
        }
        if !isPartial { try requireWhole() }
    }

    private mutating func read(_ node: PolicyNode, _ prefix: String) throws(PolicyError) {
        let below = ServiceKey.all.map(\.path).filter { $0.utf8.starts(with: prefix.utf8) }.map {
            $0.dropFirst(prefix.count)
        }
        var names: [String] = []
        for path in below {
            let name = String(path.prefix { $0 != "." })
            if !names.contains(name) { names.append(name) }
        }
        for (name, value) in try node.members(names) {
            let path = prefix + name
            if let key = ServiceKey.all.first(where: { $0.path == path }) {
                try key.read(&self, value)
            } else {
                try read(value, path + ".")
            }
        }
    }

    private mutating func read(_ environment: [String: String]) throws(PolicyError) {
        let keys = ServiceKey.all
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.utf8.starts(with: "ASSAY_".utf8) {
            if let key = keys.first(where: { $0.variable == name }) {
                try read(value, of: key, named: name)
            } else if Self.otherVariables.contains(name) {
                continue
            } else if let key = keys.first(where: { $0.variableName == name }) {
                throw PolicyError(
                    field: name.excerpt, "no such variable; set \(key.path) in the configuration file or with --set")
            } else if !Nearest.names(to: name, among: keys.map(\.variableName)).isEmpty {
                throw PolicyError(
                    field: name.excerpt,
                    "no such variable" + Nearest.advice(for: name, among: keys.map(\.variableName)))
            }
        }
    }

    /// Variables that are none of the configuration: the master key itself, and what clients of the service read.
    private static let otherVariables: Set = ["ASSAY_MASTER_KEY", "ASSAY_TOKEN", "ASSAY_URL"]

    /// Reads a value that is in no file, so that an error has the name of the variable or option, and no line.
    private mutating func read(_ value: String, of key: ServiceKey, named name: String) throws(PolicyError) {
        do {
            try key.read(&self, PolicyNode(.scalar(value), path: name, line: 0, file: nil))
        } catch {
            throw PolicyError(field: error.field, error.message)
        }
    }

    private static func advice(for name: String) -> String {
        Nearest.advice(for: name, among: ServiceKey.all.map(\.path))
    }

    private func requireWhole() throws(PolicyError) {
        guard !policy.isEmpty else { throw PolicyError(field: "policy", "required: the policy file") }
        guard (certificate == nil) == (privateKey == nil) else {
            throw PolicyError(
                field: certificate == nil ? "tls.certificate" : "tls.privateKey",
                "required: TLS needs the certificate and its private key")
        }
        guard clientAuthorities == nil || certificate != nil else {
            throw PolicyError(field: "tls.certificate", "required: client certificates need TLS")
        }
        guard (capture.folder == nil) == (capture.key == nil) else {
            throw PolicyError(
                field: capture.folder == nil ? "capture.folder" : "capture.key",
                "required: captures are sealed, and need the folder and the public key that `assay capture key` makes")
        }
        try requireWholeAdmin()
        try requireConsoleTLS()
        try requireAuthorization()
        guard !isOpen || listen.isLocal && admin?.isLocal ?? true else {
            throw PolicyError(
                field: "open", "true is for loopback addresses and unix sockets: on others, every request needs a token"
            )
        }
    }

    private func requireWholeAdmin() throws(PolicyError) {
        guard admin != listen || listen.isAnyPort else {
            throw PolicyError(field: "admin", "the public listener already has this address; choose another one")
        }
        if let metrics, !metrics.isAnyPort {
            guard metrics != listen, metrics != admin else {
                throw PolicyError(field: "metrics", "another listener already has this address; choose another one")
            }
        }
        guard (adminCertificate == nil) == (adminPrivateKey == nil) else {
            throw PolicyError(
                field: adminCertificate == nil ? "adminTLS.certificate" : "adminTLS.privateKey",
                "required: TLS needs the certificate and its private key")
        }
        guard adminCertificate == nil || [admin, metrics].contains(where: { $0 != nil && $0?.path == nil }) else {
            throw PolicyError(
                field: "adminTLS.certificate", "TLS is for TCP addresses, and neither admin nor metrics is one")
        }
    }

    /// Refuses a console to which operators would send their tokens in the clear.
    func requireConsoleTLS() throws(PolicyError) {
        guard console else { return }
        guard let admin else {
            throw PolicyError(field: "console", "on needs the listener of operators, and admin is none: set admin")
        }
        guard admin.isLocal || adminCertificate != nil else {
            throw PolicyError(
                field: "console",
                "on needs TLS where admin is no loopback address and no unix socket, found \(admin.description): set adminTLS.certificate and adminTLS.privateKey, or admin: 127.0.0.1:8081"
            )
        }
    }

    private func requireAuthorization() throws(PolicyError) {
        guard let dialect = authorize.dialect else {
            guard authorize.peers.isEmpty, authorize.origins.isEmpty else {
                throw PolicyError(
                    field: "authorize.dialect",
                    "required: forward auth needs the gateway, one of "
                        + AuthorizationRules.Dialect.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return
        }
        guard !authorize.peers.isEmpty else {
            throw PolicyError(
                field: "authorize.peers",
                "required: who may ask; addresses or ranges such as 10.0.0.0/8, or unix for a unix socket")
        }
        // Without the body, a request would count as one that has none.
        guard authorize.bodies == .withheld || dialect.canForwardBodies else {
            throw PolicyError(
                field: "authorize.bodies",
                "forwarded requires traefik or envoy: \(dialect.rawValue) sends no bodies to the service")
        }
        let isUnix = listen.path != nil
        guard authorize.peers.contains(where: { ($0 == .unix) == isUnix }) else {
            throw PolicyError(
                field: "authorize.peers",
                isUnix
                    ? "the public listener is a unix socket, and no peer is unix"
                    : "the public listener is a TCP address, and no peer is an address or a range")
        }
        if !authorize.origins.isEmpty {
            do throws(OriginError) { _ = try ServerOrigins(authorize.origins) } catch {
                throw PolicyError(field: "authorize.origins", error.description)
            }
        }
    }

    /// Refuses a policy with signed requests where forward auth does not know the origins of their target URIs.
    func requireOrigins(for verifier: Verifier) throws(PolicyError) {
        guard authorize.dialect != nil, authorize.origins.isEmpty,
            let app = verifier.policy.apps.first(where: { app in
                verifier.requestEvidence(of: app).contains { $0.rules.coversTarget }
            })
        else { return }
        throw PolicyError(
            field: "authorize.origins",
            "required: app \(app.name.excerpt) expects signed requests, and the signed target URI begins with an origin, such "
                + "as https://api.example.com")
    }
}
