package import AssayCore
package import Logging

/// The settings of a service. ``keys`` says where each comes from.
package struct ServiceConfiguration: Sendable {
    /// The policy file.
    package var policy = ""
    /// Whether a policy may come into force, while the service runs, that accepts more than the one before.
    package var policyGuard = PolicyGuard.off
    /// The URL of the ledger; nil for the user's own.
    package var ledger: String?
    /// Where the master key of the key store is, `file:PATH` or `env:NAME`; nil for no key store.
    package var masterKey: String?
    /// Where the service account for Google is, `file:PATH` or `env:NAME`; nil if Google is not asked.
    package var serviceAccount: String?
    /// The URL of the Play Integrity API; nil for Google's.
    package var googleURL: String?
    /// The URL of the list of revoked attestation certificates; nil for Google's.
    package var statusListURL: String?
    /// The base URL of Apple's server of App Attest receipts; nil for Apple's own ones.
    package var appAttestURL: String?
    /// The base URL of DeviceCheck; nil for Apple's own servers.
    package var deviceCheckURL: String?
    /// The public listener.
    package var listen = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
    /// The listener of operators; nil for none.
    package var admin: ListenAddress? = .tcp(host: "127.0.0.1", port: 8081)
    /// Whether the listener of operators has the console.
    package var console = false
    /// A further listener with health and metrics alone; nil for none.
    package var metrics: ListenAddress?
    /// The certificate chain of the listeners of operators and of metrics on TCP addresses, PEM; nil for no TLS.
    package var adminCertificate: String?
    /// The private key of that certificate, PEM.
    package var adminPrivateKey: String?
    /// Whether TCP listeners on loopback addresses take requests without a token.
    package var isOpen = false
    /// Further names by which listeners that demand no token may be addressed.
    package var allowedHosts: [String] = []
    /// The certificate chain of the public listener, PEM; nil for no TLS.
    package var certificate: String?
    /// The private key of the certificate, PEM.
    package var privateKey: String?
    /// The authorities of client certificates, PEM; nil if clients need none.
    package var clientAuthorities: String?
    /// Forward auth.
    package var authorize = AuthorizationRules()
    /// Failover settings; off unless `primary` is set.
    package var failover = Failover()
    /// Captures of judged evidence; off unless `folder` is set.
    package var capture = Capture()
    /// The limits of requests.
    package var limits = Limits()
    /// How many of the last verdicts are kept.
    package var recent = RecentVerdicts.Settings()
    /// `Retry-After` of answers with 503, in seconds.
    package var retryAfter = 5
    /// How long the service still accepts requests after it reports unready, in seconds.
    package var shutdownDelay = 0.0
    /// How long requests may take to finish after that, in seconds.
    package var shutdownTimeout = 25.0
    /// The least level that is logged.
    package var logLevel = Logger.Level.info
    /// How the log is written; nil for text on a terminal and JSON elsewhere.
    package var logFormat: LogFormat?

    /// What becomes of a policy that may accept more than the one in force.
    package enum PolicyGuard: String, Sendable, CaseIterable {
        /// It comes into force, and is logged as a warning.
        case off
        /// It is refused until the service is started again.
        case refuseWeaker = "refuse-weaker"
    }

    /// How a failover instance finds out whether the first instance can be reached.
    package struct Failover: Sendable, Equatable {
        /// The URL below which the first instance is reached; nil if this is no failover instance.
        package var primary: String?
        /// The time from one probe to the next, in seconds.
        package var interval = 60.0
        /// How many probes in a row must fail before tokens are issued.
        package var failures = 3
        /// How long tokens are issued at most, in seconds, until the first instance was reached again.
        package var limit = 14_400.0

        package init() {}
    }

    /// Which evidence is captured, and for how long.
    package struct Capture: Sendable, Equatable {
        /// The folder of the captures; nil for none.
        package var folder: String?
        /// The file of the public key for which records are sealed.
        package var key: String?
        /// The share of evidence, above 0 and up to 1.
        package var share = 0.01
        /// The kinds of evidence; empty for all.
        package var kinds: [EvidenceKind] = []
        /// The most bytes of the capture files of the folder.
        package var maximumSize = 1 << 30
        /// How long records are kept, in seconds.
        package var keepFor = 30.0 * 86_400

        package init() {}
    }

    /// The limits of requests.
    package struct Limits: Sendable, Equatable {
        /// A body, in bytes, but not a stream of records.
        package var body = 2 << 20
        /// A line of a stream of records, in bytes.
        package var line = 1 << 20
        /// The request line and all fields of a request, in bytes.
        package var headers = 32 << 10
        /// The connections of a listener. Another one takes the place of the one that is idle for longest.
        package var connections = 10_000
        /// Requests that are handled at the same time. Others get 503.
        package var requests = 512
        /// The challenges for attestations of App Attest a second and app, on average; 0 for no limit. Others get 429.
        package var challenges = 0
        /// How long a body may take to arrive, in seconds. In a stream: each line.
        package var bodyTime = 30.0
        /// How long a connection may be idle, in seconds, also before and within the head of a request.
        package var idleTime = 60.0

        package init() {}
    }

    package init() {}
}
