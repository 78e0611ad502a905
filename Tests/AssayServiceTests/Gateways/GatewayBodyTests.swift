import Foundation
import Testing

/// Bodies of all sizes. Gateways keep them in buffers, which the fields of Assay must fit into as well.
extension GatewayTests {
    /// The limit of all examples, in bytes.
    private static let limit = 2 << 20

    @Test(
        "Bodies up to the limit pass, with a length and without; longer ones are answered with 413",
        arguments: Gateway.installed)
    func bodySizes(_ gateway: Gateway) throws {
        let setting = try Setting(gateway, body: gateway.forwardsBodies ? "verified" : "upstream")
        // 14 kB and the fields of Assay fill a buffer of 16 KiB, the default of HAProxy.
        for size in [14 << 10, 15_500, 60_000, 1 << 20, Self.limit] {
            let body = String(repeating: "x", count: size)
            try setting.pass("\(size) bytes, a token", "POST", "/orders", setting.token(), body: body)
            guard size == 14 << 10 || size == 1 << 20 else { continue }
            try setting.pass(
                "\(size) bytes, a signature", "POST", "/orders", setting.signed("POST", "/orders", body: body),
                body: body)
            if gateway.forwardsBodies {
                try setting.refuse(
                    "\(size) other bytes", "POST", "/orders", setting.signed("POST", "/orders", body: body),
                    body: body.dropLast() + "y")
            }
            let answer = try chunked(setting, body)
            // HAProxy before 3.2 cannot drop trailers, and refuses bodies without a length.
            if gateway == .haproxy, answer.status == 411 { continue }
            let received = try setting.upstream.settled()
            #expect(answer.status == 200 && received.count == 1, "\(size) bytes in chunks: \(answer)")
            #expect(received.first?.body.count == size, "\(size) bytes in chunks: \(received)")
        }
        for size in [Self.limit + 1, 3 << 20] {
            let body = String(repeating: "x", count: size)
            let answer = try long(setting, ["Content-Length: \(size)"], Array(body.utf8))
            #expect(answer.status == 413, "\(size) bytes: \(answer)")
            let inChunks = try chunked(setting, body)
            #expect(
                inChunks.status == 413 || gateway == .haproxy && inChunks.status == 411, "\(size) bytes: \(inChunks)")
            // A backend gets no whole body, and no identity without one.
            #expect(try setting.upstream.settled().isEmpty, "\(size) bytes")
        }
    }

    @Test(
        "A body that is longer than the service allows is answered with 413",
        arguments: Gateway.installed.filter { $0.forwardsBodies })
    func limitOfTheService(_ gateway: Gateway) throws {
        let setting = try Setting(gateway, settings: ["limits.body=64KiB"])
        let body = String(repeating: "x", count: 65 << 10)
        let answer = try setting.send("POST", "/orders", setting.token(), body: body)
        #expect(answer.status == 413, "\(answer)")
        #expect(try setting.upstream.settled().isEmpty)
        try setting.pass("a shorter one", "POST", "/orders", setting.token(), body: String(body.dropLast(2 << 10)))
    }

    private func chunked(_ setting: Setting, _ body: String) throws -> HTTPAnswer {
        var (rest, bytes) = (Array(body.utf8)[...], [UInt8]())
        while !rest.isEmpty {
            let chunk = rest.prefix(8000)
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [0x0D, 0x0A]
            rest = rest.dropFirst(8000)
        }
        return try long(setting, ["Transfer-Encoding: chunked"], bytes + Array("0\r\n\r\n".utf8))
    }

    /// Sends a request, and stops when the answer arrives: a server may end the connection of a client that sends on.
    private func long(_ setting: Setting, _ fields: [String], _ body: [UInt8]) throws -> HTTPAnswer {
        let connection = try Connection(port: setting.running.port)
        connection.limitReading(seconds: 120)
        let head = ["POST /orders HTTP/1.1", "Host: api.example.com", "Connection: close"] + fields
        connection.write((head + (try setting.token())).joined(separator: "\r\n") + "\r\n\r\n")
        var rest = body[...]
        while !rest.isEmpty, !connection.isReadable {
            connection.write(bytes: Array(rest.prefix(16_384)))
            rest = rest.dropFirst(16_384)
        }
        return HTTPAnswer(connection.readToEnd())
    }
}
