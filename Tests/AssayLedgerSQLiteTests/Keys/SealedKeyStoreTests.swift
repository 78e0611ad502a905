import Assay
import AssayCore
import AssayLedgerSQLite
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("The sealed key store")
struct SealedKeyStoreTests {
    @Test("Added keys are returned unchanged, in every state, also after the file is reopened")
    func roundTrip() async throws {
        let fixture = try SealedKeyFixture()
        let window = KeyWindow(
            notBefore: Date(timeIntervalSince1970: 1_776_000_000.123),
            notAfter: Date(timeIntervalSince1970: 32_472_144_000.7))
        try await fixture.add("a", "first", label: "one", scope: "com.example.shop", window: window)
        try await fixture.add("b é", "second")
        try await fixture.store.retire("b é", at: SealedKeyFixture.now, now: SealedKeyFixture.now)
        try await fixture.ledger.close()
        let ledger = try SQLiteLedger.open(path: fixture.folder.path())
        let keys = try await SealedKeyFixture.store(on: ledger).keys(for: TestSecret.purpose)
        #expect(keys.map(\.name) == ["a", "b é"])
        let material = try #require(keys[0].material as? TestSecret)
        #expect(material.secret.testText == "first")
        #expect(material.label?.testText == "one")
        #expect(keys[0].scope == "com.example.shop" && keys[1].scope == nil)
        #expect(keys[0].window.notBefore.map(RFC3339.format) == "2026-04-12T13:20:00.123Z")
        #expect(keys[0].window.notAfter.map(RFC3339.format) == "2999-01-01T00:00:00.700Z")
        #expect(keys[1].retiredAt == SealedKeyFixture.now)
        #expect(try await ledger.check(Verifier.problem(withKey:)) == [])
    }

    @Test("Several keys are live at once, each in its window, and a retired one stays listed as retired")
    func rotation() async throws {
        let fixture = try SealedKeyFixture()
        let start = SealedKeyFixture.now
        try await fixture.add("old", window: KeyWindow(notBefore: nil, notAfter: start + 100))
        try await fixture.add("new", window: KeyWindow(notBefore: start + 50, notAfter: nil))
        try await fixture.store.retire("old", at: start + 80, now: SealedKeyFixture.now)
        let table: [(Double, new: KeyState, old: KeyState)] = [
            (0, .pending(start + 50), .live), (49.999, .pending(start + 50), .live), (50, .live, .live),
            (79.999, .live, .live), (80, .live, .retired(start + 80)), (101, .live, .retired(start + 80)),
        ]
        let keys = try await fixture.store.keys(for: TestSecret.purpose)
        let entries = try await fixture.ledger.sealedKeys()
        for (seconds, new, old) in table {
            #expect(keys.map { $0.state(at: start + seconds) } == [new, old], "after \(seconds) s")
            #expect(entries.map { $0.state(at: start + seconds) } == [new, old], "after \(seconds) s")
        }
    }

    @Test("Listing needs no master key, and shows the use of each key")
    func list() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("b", scope: "shop")
        try await fixture.add("a")
        let entries = try await fixture.ledger.sealedKeys()
        #expect(entries.map(\.name) == ["a", "b"])
        #expect(entries.map(\.scope) == [nil, "shop"])
        #expect(entries.map(\.algorithm) == ["none", "none"])
        #expect(entries.map(\.purpose) == [TestSecret.purpose, TestSecret.purpose])
        #expect(entries.map(\.addedAt) == [SealedKeyFixture.now, SealedKeyFixture.now])
    }

    @Test("An invalid key is refused, and nothing is stored")
    func refusals() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("taken")
        #expect(try await refusal { try await fixture.add("taken", "other") } == .nameTaken("taken"))
        for name in ["", " a", "a ", "a\nb", "a\u{202E}b", String(repeating: "a", count: 256)] {
            guard case .invalidName = try await refusal({ try await fixture.add(name) }) else {
                Issue.record("the name \(name.debugDescription) was taken")
                continue
            }
        }
        guard case .invalidScope = try await refusal({ try await fixture.add("a", scope: "") }) else {
            throw KeyStoreRefusal.unknownName("an empty scope was taken")
        }
        let empty = KeyWindow(notBefore: SealedKeyFixture.now, notAfter: SealedKeyFixture.now - 0.001)
        #expect(try await refusal { try await fixture.add("a", window: empty) } == .emptyWindow)
        guard case .invalidKey(let error) = try await refusal({ try await fixture.add("a", "") }) else {
            throw KeyStoreRefusal.unknownName("an empty secret was taken")
        }
        #expect(error.part == "secret")
        let unknown = try await refusal {
            try await fixture.store.add("a", for: KeyPurpose("none"), parts: [:], at: SealedKeyFixture.now)
        }
        #expect(unknown == .unknownPurpose(KeyPurpose("none"), known: [TestSecret.purpose]))
        let strange = try await refusal {
            try await fixture.store.add(
                "a", for: TestSecret.purpose,
                parts: TestSecret.parts("x").merging(["other": SecretBytes([1])]) { $1 }, at: SealedKeyFixture.now)
        }
        guard case .invalidKey(let error) = strange, error.code == "unknown-part" else {
            throw KeyStoreRefusal.unknownName("an unknown part was taken")
        }
        #expect(try await fixture.store.secrets() == ["taken": "a secret"])
    }

    @Test("A retirement can be brought forward but not postponed, and needs an existing key")
    func retirement() async throws {
        let fixture = try SealedKeyFixture()
        let now = SealedKeyFixture.now
        try await fixture.add("a")
        #expect(
            try await refusal { try await fixture.store.retire("b", at: now, now: SealedKeyFixture.now) }
                == .unknownName("b"))
        #expect(
            try await refusal { try await fixture.store.retire("a", at: now + 10, now: SealedKeyFixture.now) } == nil)
        #expect(try await refusal { try await fixture.store.retire("a", at: now, now: SealedKeyFixture.now) } == nil)
        for later in [0, 1.0] {
            #expect(
                try await refusal { try await fixture.store.retire("a", at: now + later, now: SealedKeyFixture.now) }
                    == .alreadyRetired("a", at: now))
        }
        #expect(try await fixture.ledger.sealedKeys().map(\.retiredAt) == [now])
        #expect(try await fixture.store.secrets() == ["a": "a secret"])
    }

    @Test("A key can be removed with or without the master key")
    func removal() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        try await fixture.add("b")
        try await fixture.store.remove("a", at: SealedKeyFixture.now)
        #expect(try await fixture.store.secrets() == ["b": "a secret"])
        #expect(
            try await refusal { try await fixture.store.remove("a", at: SealedKeyFixture.now) } == .unknownName("a"))
        try await fixture.ledger.removeSealedKey("b", at: Date(timeIntervalSince1970: 1_776_795_192))
        #expect(
            try await refusal {
                try await fixture.ledger.removeSealedKey("b", at: Date(timeIntervalSince1970: 1_776_795_192))
            } == .unknownName("b"))
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.store.secrets() == [:])
        try await fixture.add("a", "another")
        #expect(try await fixture.store.secrets() == ["a": "another"])
    }

    @Test("The same key is sealed differently each time")
    func nonces() async throws {
        let fixture = try SealedKeyFixture()
        for number in 0..<50 { try await fixture.add("\(number)") }
        let nonces = try fixture.ledger.texts("SELECT hex(substr(sealed, 2, 12)) FROM sealedKey")
        #expect(Set(nonces).count == 50)
        let before = try fixture.ledger.texts("SELECT hex(substr(sealed, 2, 12)) FROM sealedKey WHERE name = '7'")
        try await fixture.store.retire("7", at: SealedKeyFixture.now, now: SealedKeyFixture.now)
        #expect(
            try fixture.ledger.texts("SELECT hex(substr(sealed, 2, 12)) FROM sealedKey WHERE name = '7'") != before)
    }

    @Test("A wrong master key is distinguished from damage, and can neither add nor retire")
    func wrongMasterKey() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        let other = try SealedKeyFixture.store(on: fixture.ledger, masterKey: SealedKeyFixture.otherText)
        #expect(try await other.outage() == .wrongMasterKey)
        for change in [
            { _ = try await other.add("b", for: TestSecret.purpose, parts: TestSecret.parts("x"), at: .now) },
            { try await other.retire("a", at: .now, now: SealedKeyFixture.now) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: KeyStoreFailure.self) { try await change() }
            guard case .outage(let outage)? = error else { throw KeyStoreRefusal.unknownName("\(error as Any)") }
            #expect(outage.code == .wrongMasterKey)
        }
        #expect(try await fixture.store.secrets() == ["a": "a secret"])
    }

    @Test("A store that cannot be read is an outage, and returns no cached keys")
    func outages() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        #expect(try await fixture.store.outage() == nil)
        try await fixture.ledger.close()
        #expect(try await fixture.store.outage() == nil, "within a second")
        fixture.clock.advance(by: .seconds(1))
        for _ in 0..<2 { #expect(try await fixture.store.outage()?.name == "unreachable") }
        let error = await #expect(throws: KeyStoreFailure.self) { try await fixture.add("b") }
        guard case .outage? = error else { throw KeyStoreRefusal.unknownName("\(error as Any)") }
    }

    @Test("Keys of an unknown purpose are an outage only for lookups of that purpose")
    func unknownPurpose() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        let other = try SealedKeyFixture.store(on: fixture.ledger, materials: [])
        #expect(try await other.outage() == .unknownPurpose)
        #expect(try await other.keys(for: KeyPurpose("play-integrity")).isEmpty)
    }
}
