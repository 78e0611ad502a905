import AssayCore
import CPostgreSQL
import CPostgreSQLLoader
import Foundation

/// Where a ledger is, from its URL.
///
/// `postgresql://[user@][host[:port],...][/database][?name=value&...]` as libpq reads it
/// (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>), without a password: that comes from
/// `PGPASSWORD`, or from the password file that `passfile` or `PGPASSFILE` names. Of Assay are `schema`, `durability`, `pooler`
/// and `timeout`.
struct ConnectionTarget: Sendable, Equatable {
    /// The URL, for messages. It holds no password.
    let place: String
    /// The settings that libpq gets for each host, in the order in which hosts are tried.
    let hosts: [[(String, String)]]
    /// How long each address of a host is waited for.
    let connectTimeout: Duration
    /// The schema of the tables.
    let schema: String
    /// Whether a server that may forget what it has committed is used all the same.
    let isDurabilityWaived: Bool
    /// Which pooler is between this machine and the server; nil for none.
    let pooler: Pooler?
    /// How long an operation waits for the server.
    let timeout: Duration
    /// What the connections of this ledger have found there.
    let watch = LedgerWatch()

    /// The mode of a pooler.
    enum Pooler: String, Sendable, CaseIterable {
        /// A client keeps its server.
        case session
        /// A client changes servers between transactions: there are no prepared statements and no settings of a session.
        case transaction
    }

    /// Whether a pooler changes servers between transactions.
    var isPooled: Bool { pooler == .transaction }

    static func == (left: ConnectionTarget, right: ConnectionTarget) -> Bool { left.place == right.place }

    /// Reads a URL.
    ///
    /// - Throws: what is wrong with it, as a sentence without a password.
    init(_ url: String) throws(PostgreSQLURLError) {
        let scheme = url.prefix { $0 != ":" }.lowercased() + "://"
        guard ["postgresql://", "postgres://"].contains(scheme), url.lowercased().hasPrefix(scheme) else {
            throw PostgreSQLURLError("a ledger in PostgreSQL is named postgresql://[user@]host[:port]/database")
        }
        guard !url.utf8.contains(0) else { throw PostgreSQLURLError("the URL of a ledger has a NUL byte") }
        // libpq reads schemes in lower case only.
        let rest = url.dropFirst(scheme.count)
        if let at = rest.lastIndex(of: "@"), rest[..<at].contains(":") {
            throw PostgreSQLURLError(
                "the URL of the ledger seems to hold a password, which other users could see; remove it, and set PGPASSWORD or "
                    + "name a password file with passfile=PATH. An @ behind the host is written %40")
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var own: [String: String] = [:]
        var others: [Substring] = []
        for item in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = pair[0]
            // libpq decodes names.
            try Self.refuse(secret: name.removingPercentEncoding ?? name)
            guard Self.names.contains(name) else {
                others.append(item)
                continue
            }
            guard own.updateValue(pair.count > 1 ? pair[1] : "", forKey: name) == nil else {
                throw PostgreSQLURLError("the URL of the ledger has \(name) twice")
            }
        }
        schema = try Self.schema(own["schema"] ?? "assay")
        isDurabilityWaived = try Self.choice(own["durability"], "durability", ["waived"]) != nil
        pooler = try Self.choice(own["pooler"], "pooler", Pooler.allCases.map(\.rawValue)).flatMap(Pooler.init)
        timeout = try Self.seconds(own["timeout"])
        place = scheme + rest
        let text = scheme + parts[0] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
        var keywords = try Self.parse(String(text))
        for (name, _) in keywords { try Self.refuse(secret: name) }
        let wait = keywords.first { $0.0 == "connect_timeout" }?.1 ?? "2"
        guard let seconds = Int(wait), (1...600).contains(seconds) else {
            throw PostgreSQLURLError(
                "connect_timeout=\(wait.excerpt) is no time; allowed are 1 to 600 seconds for each host")
        }
        connectTimeout = .seconds(seconds)
        func preset(_ name: String, _ value: String) {
            if !keywords.contains(where: { $0.0 == name }) { keywords.append((name, value)) }
        }
        preset("application_name", "assay")
        preset("target_session_attrs", "read-write")
        // Reading would have to know how much the library of GSSAPI has read already.
        preset("gssencmode", "disable")
        preset("tcp_user_timeout", "\(timeout.components.seconds * 1000)")
        hosts = Self.hosts(keywords + [("client_encoding", "UTF8")])
    }

    /// The settings of each host. libpq waits without a limit when it is driven step by step, also for the first of several hosts.
    private static func hosts(_ keywords: [(String, String)]) -> [[(String, String)]] {
        let lists = keywords.filter { ["host", "hostaddr", "port"].contains($0.0) }.map {
            ($0.0, $0.1.split(separator: ",", omittingEmptySubsequences: false))
        }
        let count = lists.lazy.filter { $0.0 != "port" }.map(\.1.count).max() ?? 1
        // libpq refuses lists of other lengths, with a message.
        guard lists.allSatisfy({ $0.1.count == count || ($0.0 == "port" && $0.1.count == 1) }) else {
            return [keywords]
        }
        return (0..<count).map { number in
            keywords.map { name, value in
                let list = lists.first { $0.0 == name }?.1 ?? []
                return (name, list.count == count ? String(list[number]) : value)
            }
        }
    }

    /// The same text for all URLs of one schema that name its servers alike.
    var identity: String {
        let environment = ProcessInfo.processInfo.environment
        func value(_ name: String, of host: [(String, String)]) -> String? {
            host.first { $0.0 == name && !$0.1.isEmpty }?.1
        }
        // What the URL lacks is in the service file, if it has one, which libpq reads.
        let service = (value("service", of: hosts.first ?? []) ?? environment["PGSERVICE"]).map { "service \($0)" }
        func setting(_ name: String, _ variable: String, of host: [(String, String)]) -> String? {
            value(name, of: host) ?? service ?? environment[variable]
        }
        let servers = hosts.map { host in
            let address = value("hostaddr", of: host) ?? (service == nil ? environment["PGHOSTADDR"] : nil)
            let name = address ?? setting("host", "PGHOST", of: host) ?? ""
            return "\(name.hasPrefix("/") ? name : name.lowercased()):\(setting("port", "PGPORT", of: host) ?? "5432")"
        }
        let first = hosts.first ?? []
        let user = setting("user", "PGUSER", of: first) ?? NSUserName()
        let database = setting("dbname", "PGDATABASE", of: first) ?? user
        return [Set(servers).sorted().joined(separator: ","), database, schema].joined(separator: "\0")
    }

    private static func refuse(secret name: String) throws(PostgreSQLURLError) {
        guard ["password", "sslpassword"].contains(name.lowercased()) else { return }
        throw PostgreSQLURLError(
            "the URL of the ledger has \(name), which other users could see; set PGPASSWORD or name a password file "
                + "with passfile=PATH")
    }

    private static let names: Set<String> = ["schema", "durability", "pooler", "timeout"]

    private static func schema(_ name: String) throws(PostgreSQLURLError) -> String {
        let letters = Set("abcdefghijklmnopqrstuvwxyz_"), digits = Set("0123456789")
        guard let first = name.first, letters.contains(first), name.count <= 63, !name.hasPrefix("pg_"),
            name.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else {
            throw PostgreSQLURLError(
                "schema=\(name.excerpt) names no schema of a ledger; allowed are up to 63 of a-z, 0-9 and _, not a digit first"
            )
        }
        return name
    }

    private static func choice(
        _ value: String?, _ name: String, _ allowed: [String]
    ) throws(PostgreSQLURLError) -> String? {
        guard let value else { return nil }
        guard allowed.contains(value) else {
            let choices = allowed.map { "\(name)=\($0)" }.joined(separator: " and ")
            throw PostgreSQLURLError("\(name)=\(value.excerpt) is unknown; allowed is \(choices)")
        }
        return value
    }

    private static func seconds(_ value: String?) throws(PostgreSQLURLError) -> Duration {
        guard let value else { return .seconds(10) }
        guard let seconds = Int(value), (1...600).contains(seconds) else {
            throw PostgreSQLURLError("timeout=\(value.excerpt) is no time; allowed are 1 to 600 seconds")
        }
        return .seconds(seconds)
    }

    /// Says why libpq cannot be loaded; nil if it is. Nothing can be said of a URL without it.
    static var missingLibrary: String? {
        unsafe CPostgreSQLLoader_load().map {
            "a ledger in PostgreSQL needs libpq, which cannot be loaded: \(unsafe String(cString: $0)); install it (on Debian: libpq5)"
        }
    }

    /// The settings that libpq reads from a URL.
    private static func parse(_ url: String) throws(PostgreSQLURLError) -> [(String, String)] {
        if let missing = missingLibrary { throw PostgreSQLURLError(missing) }
        var error: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(url, &error) else {
            defer { unsafe PQfreemem(error) }
            let message = unsafe error.map { unsafe String(cString: $0) } ?? "libpq has no memory left"
            let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
            throw PostgreSQLURLError("the URL of the ledger cannot be read: \(line)")
        }
        defer { unsafe PQconninfoFree(options) }
        var keywords: [(String, String)] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                keywords.append((unsafe String(cString: keyword), unsafe String(cString: value)))
            }
            unsafe option += 1
        }
        return keywords
    }
}

/// What is wrong with the URL of a ledger, or that libpq is missing. It contains no password.
public struct PostgreSQLURLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence.
    public let description: String

    init(_ description: String) { self.description = description }
}
