import AssayPrimitives
import AssayTesting
import Foundation

/// `assay serve` with a durable ledger and enrolled devices, and the same server without Assay.
final class ServiceSubject {
    static let connections = 64
    static let appID = "1234567890.com.example.shop"

    let service: ServedProgram
    let bare: ServedProgram
    /// The bare server with the middleware.
    let guarded: ServedProgram
    /// A device for each connection.
    private let devices = (0..<connections).map { _ in AttestedKey() }
    private var counter: UInt32 = 0
    private let operatorToken: String
    private let approovToken: String
    private let now = Date()

    /// Starts both, and enrols the devices.
    ///
    /// - Parameters:
    ///   - folder: for the policy, the ledger and the logs.
    ///   - settings: further settings of the service, such as `capture.share=1%`.
    init(in folder: URL, settings: [String] = []) throws {
        let tokens = try ApproovTokenSubject(now: now)
        approovToken = tokens.tokens[0]
        let authority = try TestAuthority(notBefore: now - 86_400 * 400)
        func write(_ name: String, _ text: String) throws {
            require(
                FileManager.default.createFile(
                    atPath: folder.appendingPathComponent(name).path, contents: Data(text.utf8),
                    attributes: [.posixPermissions: 0o600]), "\(name) cannot be written")
        }
        try write("root.pem", authority.rootPEM)
        try write("secret", tokens.testKeys.secretFile)
        try write(
            "policy.yaml",
            """
            version: 1
            keys:
              - { name: now, use: approov, secret: "file:secret" }
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Self.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: raw
                  testRoots: ["file:root.pem"]
              - name: api
                approov: { keys: [now], failover: reject }
            """)
        let ledger = "sqlite:\(folder.appendingPathComponent("ledger.sqlite").path)"
        operatorToken = try Self.output([
            "operators", "add", "benchmark", "--role", "caller", "--ledger", ledger,
        ])
        service = try ServedProgram(
            Places.program,
            ["serve", "--policy", folder.appendingPathComponent("policy.yaml").path, "--ledger", ledger]
                + ([
                    "listen=127.0.0.1:0", "admin=none", "authorize.dialect=nginx", "authorize.peers=127.0.0.1",
                    "authorize.origins=https://api.example.com", "limits.connections=20000",
                ] + settings).flatMap { ["--set", $0] },
            in: folder
        ) { log in
            log.firstMatch(of: /"127\.0\.0\.1:([0-9]+)"/).flatMap { Int($0.1) }.map { ($0, "") }
        }
        bare = try Self.server([], in: folder)
        guarded = try Self.server(["--check"], in: folder)
        let attestations = try devices.map { device in
            let minted = try AttestationBlueprint(
                authority: authority, key: device, appID: Self.appID, clientData: .bytes(Array("challenge".utf8)),
                issuedAt: now
            ).mint()
            return [verification(of: minted.record(id: "enrol").json)]
        }
        _ = HTTPLoad(port: service.port, connections: devices.count, expecting: Self.accepted).run(attestations)
    }

    private static func server(_ arguments: [String], in folder: URL) throws -> ServedProgram {
        try ServedProgram(Places.bareServer, arguments, in: folder) { output in
            let words = output.split(whereSeparator: \.isWhitespace)
            guard words.count == 2, let port = Int(words[0]) else { return nil }
            return (port, String(words[1]))
        }
    }

    /// What the answer about accepted evidence contains.
    static let accepted: StaticString = #""outcome":"accept""#

    /// The devices' key IDs in base64, and their public keys in DER.
    var publicKeys: [String: Data] {
        Dictionary(
            uniqueKeysWithValues: devices.map {
                (Base64.encode($0.keyID, .standard), Data($0.key.subjectPublicKeyInfo()))
            })
    }

    /// Requests `POST /v1/verify` for each device, with assertions that were not sent before.
    func verifications(_ count: Int) throws -> [[[UInt8]]] {
        var requests = devices.map { _ in [[UInt8]]() }
        for _ in 0..<count {
            counter += 1
            for (index, device) in devices.enumerated() {
                let minted = try AssertionBlueprint(
                    key: device, appID: Self.appID, counter: counter, clientData: .bytes(Array("challenge".utf8))
                ).mint()
                let record = minted.record(id: "\(counter)", receivedAt: now, challenge: Array("challenge".utf8))
                requests[index].append(verification(of: record.json))
            }
        }
        return requests
    }

    /// The same requests to the server that sends the body back.
    static func echoes(_ verifications: [[[UInt8]]]) -> [[[UInt8]]] {
        let line = Array("POST /v1/verify".utf8).count
        return verifications.map { $0.map { Array("POST /echo".utf8) + $0.dropFirst(line) } }
    }

    private func verification(of record: String) -> [UInt8] {
        Array(
            """
            POST /v1/verify HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(operatorToken)\r
            Content-Type: application/json\r
            Content-Length: \(record.utf8.count)\r
            \r
            \(record)
            """.utf8)
    }

    /// The request with which nginx asks about a token, for another path if the server is not the service.
    func authorization(_ path: String) -> [UInt8] {
        Array(
            """
            GET \(path) HTTP/1.1\r
            Host: localhost\r
            X-Original-Method: GET\r
            X-Original-URI: /v1/items?page=2\r
            X-Original-Host: api.example.com\r
            X-Original-Body: none\r
            X-Real-IP: 192.0.2.1\r
            Approov-Token: \(approovToken)\r
            \r

            """.utf8)
    }

    /// A request with a token for the middleware.
    func guardedRequest() -> [UInt8] {
        Array("GET / HTTP/1.1\r\nHost: localhost\r\nApproov-Token: \(guarded.token)\r\n\r\n".utf8)
    }

    /// A request with a body of which nothing has been sent.
    func bodiless(length: Int) -> [UInt8] {
        let whole = String(decoding: verification(of: ""), as: UTF8.self)
        return Array(whole.replacing("Content-Length: 0", with: "Content-Length: \(length)").utf8)
    }

    /// What the program prints.
    static func output(_ arguments: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = Places.program
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        require(process.terminationStatus == 0, "assay \(arguments.joined(separator: " ")) fails")
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
