import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("A key store changed without its master key")
struct SealedKeyTamperTests {
    /// A store with one key that has a value in every column, and the number of sealed bytes.
    private func fixture() async throws -> (SealedKeyFixture, length: Int) {
        let fixture = try SealedKeyFixture()
        let window = KeyWindow(notBefore: SealedKeyFixture.now - 10, notAfter: SealedKeyFixture.now + 10)
        try await fixture.add("a", "secret", label: "x", scope: "shop", window: window)
        try await fixture.store.retire("a", at: SealedKeyFixture.now + 5, now: SealedKeyFixture.now)
        #expect(try await fixture.store.outage() == nil)
        let length = try #require(Int(try fixture.ledger.texts("SELECT length(sealed) || '' FROM sealedKey")[0]))
        return (fixture, length)
    }

    /// The outage of a newly opened store after a change.
    private func outage(_ fixture: SealedKeyFixture, after sql: String) async throws -> OutageCode? {
        try fixture.ledger.executeOnWriter(sql)
        return try await SealedKeyFixture.store(on: fixture.ledger).outage()
    }

    @Test("A key with any sealed byte changed, removed or added does not open")
    func sealedBytes() async throws {
        let (fixture, length) = try await fixture()
        try fixture.ledger.executeOnWriter("PRAGMA synchronous = OFF")
        let original = try fixture.ledger.texts("SELECT hex(sealed) FROM sealedKey")[0]
        func replace(_ hex: String) -> String { "UPDATE sealedKey SET sealed = x'\(hex)'" }
        let bytes = try #require([UInt8](hex: original))
        func hex(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        for index in 0..<length {
            for bit in UInt8(0)..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(try await outage(fixture, after: replace(hex(changed))) == .corrupt, "byte \(index)")
            }
            var shorter = bytes
            shorter.remove(at: index)
            #expect(try await outage(fixture, after: replace(hex(shorter))) == .corrupt, "without byte \(index)")
            #expect(try await outage(fixture, after: replace(hex(Array(bytes[..<index])))) == .corrupt)
        }
        #expect(try await outage(fixture, after: replace(original + "00")) == .corrupt)
        #expect(try await outage(fixture, after: replace(original)) == nil, "the test itself changes nothing else")
    }

    @Test("A key with any column changed, emptied or shifted does not open")
    func columns() async throws {
        let changes: [(column: String, values: [String])] = [
            ("name", ["'b'", "'A'", "'a '"]), ("purpose", ["'tesu'", "'Test'", "''"]),
            ("scope", ["'shoq'", "''", "NULL"]), ("algorithm", ["'nonf'", "''"]),
            ("notBefore", ["notBefore + 1", "NULL", "0"]), ("notAfter", ["notAfter + 1", "NULL", "notBefore"]),
            ("retiredAt", ["retiredAt + 1", "NULL", "notAfter"]), ("addedAt", ["addedAt + 1", "0"]),
        ]
        for (column, values) in changes {
            for value in values {
                let (fixture, _) = try await fixture()
                let sql = "UPDATE sealedKey SET \(column) = \(value)"
                #expect(try await outage(fixture, after: sql) == .corrupt, "\(sql)")
            }
        }
        let (fixture, _) = try await fixture()
        #expect(try await outage(fixture, after: "UPDATE sealedKey SET masterKey = zeroblob(8)") == .wrongMasterKey)
        #expect(try await outage(fixture, after: "UPDATE sealedKey SET masterKey = x''") == .wrongMasterKey)
    }

    @Test("A sealed key does not open under another name")
    func swapped() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a", "first")
        try await fixture.add("b", "second")
        let swap = """
            UPDATE sealedKey SET sealed =
            (SELECT other.sealed FROM sealedKey AS other WHERE other.name <> sealedKey.name)
            """
        #expect(try await outage(fixture, after: swap) == .corrupt)
        let copy = """
            DELETE FROM sealedKey WHERE name = 'b';
            INSERT INTO sealedKey SELECT 'b', purpose, scope, algorithm, notBefore, notAfter, retiredAt, addedAt,
            masterKey, sealed FROM sealedKey
            """
        #expect(try await outage(fixture, after: copy) == .corrupt)
    }

    @Test("An earlier state of a key that is written back does not open: before its retirement, and before its removal")
    func writtenBack() async throws {
        for isRemoved in [false, true] {
            let fixture = try SealedKeyFixture()
            try await fixture.add("a", "secret")
            try await fixture.add("b", "other")
            try fixture.ledger.executeOnWriter("CREATE TEMP TABLE kept AS SELECT * FROM sealedKey WHERE name = 'a'")
            if isRemoved {
                try await fixture.store.remove("a", at: SealedKeyFixture.now)
            } else {
                try await fixture.store.retire("a", at: SealedKeyFixture.now, now: SealedKeyFixture.now)
            }
            #expect(try await SealedKeyFixture.store(on: fixture.ledger).outage() == nil)
            let back = "DELETE FROM sealedKey WHERE name = 'a'; INSERT INTO sealedKey SELECT * FROM kept"
            #expect(try await outage(fixture, after: back) == .corrupt, "\(isRemoved)")
            // Removing it and adding it again repairs the store.
            try await fixture.ledger.removeSealedKey("a", at: SealedKeyFixture.now)
            try await fixture.add("a", "new")
            #expect(try await SealedKeyFixture.store(on: fixture.ledger).secrets() == ["a": "new", "b": "other"])
        }
    }

    @Test("A key of another ledger under the same master key does not open")
    func foreign() async throws {
        let other = try SealedKeyFixture()
        try await other.add("b", "foreign")
        try await other.add("a", "foreign")
        for (name, action) in [("b", "INSERT INTO"), ("a", "REPLACE INTO")] {
            let attached = try SealedKeyFixture()
            try await attached.add("a", "same")
            let copy = """
                ATTACH '\(other.folder.path())' AS other; \(action) sealedKey SELECT * FROM other.sealedKey
                WHERE name = '\(name)'; DETACH other
                """
            #expect(try await outage(attached, after: copy) == .corrupt, "\(name)")
        }
    }

    @Test("A store with one key that does not open returns none, until that key is removed")
    func failsClosed() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a", "first")
        try await fixture.add("b", "second")
        #expect(try await outage(fixture, after: "UPDATE sealedKey SET scope = 'x' WHERE name = 'b'") == .corrupt)
        try await fixture.ledger.removeSealedKey("b", at: Date(timeIntervalSince1970: 1_776_795_192))
        #expect(try await SealedKeyFixture.store(on: fixture.ledger).secrets() == ["a": "first"])
    }

    @Test("After any operation on keys, the file contains no secret in clear")
    func file() async throws {
        let fixture = try SealedKeyFixture()
        let secrets = ["open sesame 0123456789", "another long secret 42"]
        try await fixture.add("a", secrets[0])
        try await fixture.add("b", secrets[1])
        try await fixture.store.retire("a", at: SealedKeyFixture.now, now: SealedKeyFixture.now)
        try await fixture.store.remove("b", at: SealedKeyFixture.now)
        var entries: [LedgerEntry] = []
        try await fixture.ledger.export { entries.append($0) }
        #expect(entries.isEmpty)
        for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
            let data = try Data(contentsOf: fixture.folder.url.appendingPathComponent(name))
            for secret in secrets + [SealedKeyFixture.masterText] {
                #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
            }
            let master = try #require(Data(base64Encoded: SealedKeyFixture.masterText))
            #expect(data.range(of: master) == nil, "\(name)")
        }
        let dumped = "\(try SealedKeyFixture.masterKey())\(fixture.store)\(try await fixture.store.secrets().keys)"
        #expect(!dumped.contains("sesame"))
    }
}
