import AssayTestSupport
import Foundation
import Testing

@Suite("Requests that a web page makes a browser send", .timeLimit(.minutes(30)))
struct SiteTests {
    /// Values of `Host`, and whether they are allowed where no token is demanded; `allowedHosts` is `Assay.Internal.Example`.
    static let hosts: [(host: String, isAllowed: Bool)] = [
        ("localhost", true), ("LOCALHOST:9090", true), ("localhost.", true), ("app.localhost:1", true),
        ("127.0.0.1", true), ("127.0.0.1:9090", true), ("[::1]:9090", true), ("[::1]", true), ("10.1.2.3", true),
        ("assay.internal.example:9090", true), ("evil.example", false), ("evil.example:9090", false),
        ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("evillocalhost", false),
        ("xassay.internal.example", false), ("evil.assay.internal.example", false), ("rebind.local", false),
        ("[::1].evil.example", false), ("[127.0.0.1]evil.example:9090", false),
    ]

    private static func isRefused(_ answer: HTTPAnswer, _ code: String) -> Bool {
        answer.status == 403 && answer.json["code"] as? String == code
    }

    @Test(
        "DNS rebinding: a foreign name in Host is refused on loopback and on unix sockets, for every path of operators")
    func rebinding() throws {
        let service = try RunningService(
            "admin=127.0.0.1:0", "metrics=127.0.0.1:0", "allowedHosts=Assay.Internal.Example,other")
        let listen = service.entries("ready").first?["assay.listen"] as? [String] ?? []
        let ports = listen.compactMap { Int($0.split(separator: ":").last ?? "") }
        try #require(ports.count == 3, "\(listen)")
        let unix = try RunningService("listen=unix:public.sock", "allowedHosts=Assay.Internal.Example,other")
        let socket = unix.folder.path("admin.sock")
        for (host, isAllowed) in Self.hosts {
            for path in ["/metrics", "/readyz", "/livez", "/openapi.json", "/v1/admin/operators"] {
                // The listener of metrics has the first three.
                for port in path.hasPrefix("/v1") || path.hasPrefix("/openapi") ? [ports[1]] : Array(ports[1...]) {
                    let answer = try service.send("GET", path, type: nil, port: port, host: host)
                    #expect(Self.isRefused(answer, "host-not-allowed") == !isAllowed, "\(host) \(path): \(answer)")
                }
                let forwarded = try unix.send("GET", path, type: nil, unix: socket, host: host)
                #expect(Self.isRefused(forwarded, "host-not-allowed") == !isAllowed, "\(host) \(path): \(forwarded)")
            }
            // An open public listener; a unix one takes the names without a period that its clients make up, too.
            let open = try service.send("POST", "/v1/verify", body: "{}", host: host)
            #expect(Self.isRefused(open, "host-not-allowed") == !isAllowed, "\(host): \(open)")
            let local = try unix.send(
                "POST", "/v1/verify", body: "{}", unix: unix.folder.path("public.sock"), host: host)
            #expect(
                Self.isRefused(local, "host-not-allowed") == (!isAllowed && host.contains(".")), "\(host): \(local)")
        }
        let made = try unix.send("GET", "/v1/admin/operators", type: nil, unix: socket, host: "unix")
        #expect(Self.isRefused(made, "host-not-allowed"), "\(made)")
        // Nothing was changed, and HTTP/1.0 without Host comes from no browser.
        let old = try service.connect(unix: nil)
        old.write("GET /v1/checks HTTP/1.0\r\n\r\n")
        #expect(HTTPAnswer(old.readToEnd()).status == 200)
    }

    /// Fields of a browser, and whether a page of another site sent them. The request has `Host: localhost:9090`.
    static let fields: [(fields: [String], isForeign: Bool)] = [
        ([], false), (["Sec-Fetch-Site: none"], false), (["Sec-Fetch-Site: same-origin"], false),
        (["Sec-Fetch-Site: same-origin", "Origin: http://localhost:9090"], false),
        (["Origin: HTTP://LOCALHOST:9090"], false), (["Origin: https://assay.internal.example"], false),
        (["Sec-Fetch-Site: cross-site"], true), (["Sec-Fetch-Site: same-site"], true), (["Sec-Fetch-Site: x"], true),
        (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], true), (["Origin: null"], true),
        (["Origin: https://evil.example"], true), (["Origin: http://localhost"], true),
        (["Origin: http://localhost:3000"], true), (["Origin: http://localhost:9090.evil.example"], true),
        (["Origin: file://localhost:9090"], true), (["Origin: http://localhost:9090", "Origin: http://evil"], true),
        (["Sec-Fetch-Site: none", "Origin: http://evil.example"], true),
    ]

    @Test("A request of a page of another site changes and reads nothing, whatever the method")
    func crossSite() throws {
        let service = try RunningService("allowedHosts=assay.internal.example")
        let socket = service.folder.path("admin.sock")
        let host = "localhost:9090"
        for (fields, isForeign) in Self.fields {
            let reload = try service.send(
                "POST", "/v1/admin/policy/reload", type: nil, fields: fields, unix: socket, host: host)
            #expect(Self.isRefused(reload, "cross-site") == isForeign, "\(fields): \(reload)")
            #expect(isForeign || reload.status == 200, "\(fields): \(reload)")
            for path in ["/metrics", "/v1/admin/policy", "/openapi.json"] {
                let answer = try service.send("GET", path, type: nil, fields: fields, unix: socket, host: host)
                #expect(Self.isRefused(answer, "cross-site") == isForeign, "\(path) \(fields): \(answer)")
            }
            // They say only whether the service is up.
            let health = try service.send("GET", "/livez", type: nil, fields: fields, unix: socket, host: host)
            #expect(health.status == 200)
            let open = try service.send("POST", "/v1/verify", body: "{}", fields: fields, host: host)
            #expect(Self.isRefused(open, "cross-site") == isForeign, "\(fields): \(open)")
            // What is public may be read by pages.
            #expect(try service.send("GET", "/v1/checks", type: nil, fields: fields, host: host).status == 200)
        }
        let reloads = service.entries("reloaded").count
        #expect(reloads == Self.fields.count { !$0.isForeign })
    }

    @Test("Where tokens are demanded, probes and Prometheus reach the operators' listener by any name")
    func otherAddresses() throws {
        let administered = try AdministrationTests.Administered("admin=0.0.0.0:0", isOpen: false)
        for host in ["10.0.0.7:9090", "assay", "assay.monitoring.svc.cluster.local:9090"] {
            for path in ["/readyz", "/metrics"] {
                let answer = try administered.service.send(
                    "GET", path, type: nil, fields: ["Authorization: Bearer \(administered.tokens["viewer"] ?? "")"],
                    port: administered.port, host: host)
                #expect(answer.status == 200, "\(host) \(path): \(answer)")
            }
        }
        let foreign = try administered.service.send(
            "POST", "/v1/admin/policy/reload", type: nil,
            fields: [
                "Authorization: Bearer \(administered.tokens["admin"] ?? "")", "Sec-Fetch-Site: cross-site",
            ], port: administered.port, host: "assay")
        #expect(Self.isRefused(foreign, "cross-site"), "\(foreign)")
        // Gateways and backends ask the public listener with a token, by any name.
        let token = administered.tokens["caller"] ?? ""
        let answer = try administered.service.send(
            "POST", "/v1/verify", body: "{}", fields: ["Authorization: Bearer \(token)"], host: "assay.example.com")
        #expect(answer.status == 400, "\(answer)")
    }

    /// Chromium, as for the tests of reports: `make test` sets `ASSAY_BROWSER`.
    private static let browser = ProcessInfo.processInfo.environment["ASSAY_BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
    private static let isBrowserDemanded =
        browser != nil || ProcessInfo.processInfo.environment["CI"] == "true"
        || ProcessInfo.processInfo.environment["ASSAY_SHARED"]?.isEmpty == false

    @Test(
        "In Chromium, a page whose name leads to the listener reads nothing, and a form of another site changes nothing",
        .enabled(if: isBrowserDemanded, "run `make test`, or set ASSAY_BROWSER, to run this"))
    func chromium() throws {
        let browser = try #require(Self.browser, "run `make test`, or set ASSAY_BROWSER")
        let service = try RunningService("admin=127.0.0.1:0")
        let port = service.admin.split(separator: ":").last ?? ""
        /// What the browser shows of an address.
        func open(_ address: String) throws -> String {
            let folder = service.folder
            let status = try folder.shell(
                "HOME=\"$PWD\" '\(browser)' --headless=new --no-sandbox --no-first-run --disable-gpu --disable-dev-shm-usage "
                    + "--disable-background-networking --disable-component-update \"--user-data-dir=$PWD/profile\" "
                    + "'--host-resolver-rules=MAP evil.example 127.0.0.1' --dump-dom '\(address)' >dom 2>browser")
            #expect(status == 0, "\((try? String(contentsOfFile: folder.path("browser"), encoding: .utf8)) ?? "")")
            return try String(contentsOfFile: folder.path("dom"), encoding: .utf8)
        }
        func codes(_ path: String) -> [String] {
            service.entries("request").filter { $0["url.path"] as? String == path }.compactMap {
                $0["assay.code"] as? String
            }
        }
        #expect(try open("http://127.0.0.1:\(port)/metrics").contains("assay_ready"))
        let rebound = try open("http://evil.example:\(port)/metrics")
        #expect(rebound.contains("host-not-allowed") && !rebound.contains("assay_ready"), "\(rebound)")
        let page = try service.folder.write(
            "page.html",
            """
            <form method="post" enctype="text/plain" action="http://127.0.0.1:\(port)/v1/admin/policy/reload"></form>
            <script>document.forms[0].submit()</script>
            """)
        _ = try open("file://\(page)")
        try service.waitUntil("sent") { !codes("/v1/admin/policy/reload").isEmpty }
        #expect(codes("/v1/admin/policy/reload") == ["cross-site"] && service.entries("reloaded").isEmpty)
    }
}
