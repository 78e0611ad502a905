import AssayHTTPTestSupport
import AssayPlatforms
import Foundation
import NIOCore
import Testing

@Suite("A DNS server beside the system's resolver")
struct NameServerTests {
    private static let query = Result { try NameQuery(.a, of: "API.example.com.", identifier: 0x1234) }
    private static let question: [UInt8] = Array("\u{3}api\u{7}example\u{3}com\u{0}".utf8) + [0, 1, 0, 1]
    /// A pointer to the name of the question.
    private static let ofQuestion: [UInt8] = [0xC0, 12]

    private static func answer(
        _ records: [[UInt8]] = [], flags: [UInt8] = [0x81, 0x80], identifier: [UInt8] = [0x12, 0x34],
        question: [UInt8] = question, count: Int? = nil
    ) -> [UInt8] {
        identifier + flags + [0, 1, 0, UInt8(count ?? records.count), 0, 0, 0, 0] + question + records.joined()
    }

    private static func record(_ name: [UInt8], _ type: UInt8, _ data: [UInt8]) -> [UInt8] {
        name + [0, type, 0, 1, 0, 0, 0, 60, 0, UInt8(data.count)] + data
    }

    private static func read(_ answer: [UInt8]) throws -> [[UInt8]] { try query.get().addresses(in: answer) }

    @Test("The question has one name in lower case, and desires recursion")
    func message() throws {
        #expect(
            try Self.query.get().message == [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.question)
        let longest = String(repeating: "a.", count: 126) + "a"
        #expect(try NameQuery(.aaaa, of: longest, identifier: 0).message.count == 12 + 255 + 4)
        for wrong in ["", ".", "a..b", "a b", String(repeating: "a", count: 64), longest + ".a"] {
            #expect(throws: NameQuery.Failure.self, "\(wrong)") { try NameQuery(.a, of: wrong, identifier: 0) }
        }
    }

    @Test("Addresses are those of the name and of its alias, and no others")
    func addresses() throws {
        let (first, second): ([UInt8], [UInt8]) = ([192, 0, 2, 1], [192, 0, 2, 2])
        #expect(try Self.read(Self.answer()) == [])
        #expect(
            try Self.read(
                Self.answer([Self.record(Self.ofQuestion, 1, first), Self.record(Self.ofQuestion, 1, second)]))
                == [first, second])
        // cdn.example.com, whose end is that of the question.
        let alias: [UInt8] = Array("\u{3}cdn".utf8) + [0xC0, 16]
        let target: [UInt8] = Array("\u{3}CDN\u{7}example\u{3}com\u{0}".utf8)
        #expect(
            try Self.read(
                Self.answer([
                    Self.record(Self.ofQuestion, 5, alias), Self.record(target, 1, first),
                    Self.record(Self.ofQuestion, 1, second), Self.record(target, 28, [UInt8](repeating: 1, count: 16)),
                ])) == [first])
        let other: [UInt8] = Array("\u{1}x\u{0}".utf8)
        #expect(try Self.read(Self.answer([Self.record(other, 1, first)])) == [])
    }

    /// Answers that are refused, and a word of the reason.
    private static let refused: [(answer: [UInt8], reason: String)] = [
        (answer(identifier: [0x12, 0x35]), "another question"),
        (answer(question: Array("\u{3}bad\u{7}example\u{3}com\u{0}".utf8) + [0, 1, 0, 1]), "another question"),
        (answer(question: question.dropLast(4) + [0, 28, 0, 1]), "another question"),
        (answer(flags: [0x01, 0x80]), "none to a question"), (answer(flags: [0x83, 0x80]), "none to a question"),
        (answer(flags: [0xA1, 0x80]), "none to a question"), (answer(flags: [0x81, 0x83]), "does not exist"),
        (answer(flags: [0x81, 0x85]), "refuses"), (answer(flags: [0x81, 0x82]), "the error 2"),
        (answer(count: 1), "cannot be read"), (answer([record(ofQuestion, 1, [1, 2, 3])]), "cannot be read"),
        // A pointer to itself, one forwards, one to a name that leads back to it, and a label type of the future.
        (answer([record([0xC0, 33], 1, [1, 2, 3, 4])]), "cannot be read"),
        (answer([record([0xC0, 60], 1, [1, 2, 3, 4])]), "cannot be read"),
        (answer([record([1, 0x61, 0xC0, 33], 1, [1, 2, 3, 4])]), "cannot be read"),
        (answer([record([0x80, 0], 1, [1, 2, 3, 4])]), "cannot be read"),
        // An alias that is longer than its record.
        (answer([record(ofQuestion, 5, [3, 0x63])]), "cannot be read"),
        ([], "cannot be read"), ([0x12, 0x34, 0x81], "cannot be read"),
    ]

    @Test("Other answers are refused", arguments: refused)
    func refusals(_ each: (answer: [UInt8], reason: String)) throws {
        let failure = #expect(throws: NameQuery.Failure.self) { try Self.read(each.answer) }
        #expect(failure?.reason.contains(each.reason) == true, "\(failure?.reason ?? "")")
        // What is cut anywhere is refused or has no address, and is never read beyond its end.
        for length in each.answer.indices { _ = try? Self.read(Array(each.answer.prefix(length))) }
    }

    @Test("A server is asked for both types over TCP, and one that does not answer says so with its address")
    func server() async throws {
        let server = try await TestNameServer(addresses: [[127, 0, 0, 2], [UInt8](repeating: 0, count: 15) + [1]])
        let known = try #require(NameServer(host: "127.0.0.1", port: server.port))
        let probe = TLSProbe(timeout: 30)
        let found = try await probe.addresses(of: "api.example.com", port: 443, from: known)
        #expect(found.map(\.hostAndPort) == ["127.0.0.2:443", "[::1]:443"])
        try await server.close()

        do throws(TLSProbeError) {
            _ = try await probe.addresses(of: "api.example.com", port: 443, from: known)
            Issue.record("a server that is gone has answered")
        } catch {
            #expect(error.description.contains("127.0.0.1:\(server.port): no connection"), "\(error)")
        }
        #expect(NameServer(host: "dns.example.com") == nil)
    }
}
