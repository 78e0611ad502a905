import AndroidKey
import AssayAndroidStatus
import AssayCore
import AssayHTTPTestSupport
import Foundation
import Testing

/// Servers of one ledger share the list.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
    private static let list = "android-key.status-list"
    private static let index = "android-key.status-list.index"

    @Test("A second server takes the list from the ledger and sends no request")
    func second() async throws {
        try await TestStatus.run { test in
            let first = try await test.list()
            try await test.withSecondClient { second in
                let shared = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(shared.digest == first.digest)
                #expect(shared.fetchedAt == first.fetchedAt)
                #expect(shared.status(ofSerial: [0, 0xA1])?.state == .revoked)
            }
            #expect(test.script.requests.count == 1)
        }
    }

    @Test("A confirmed list is confirmed for all")
    func confirmed() async throws {
        try await TestStatus.run { test in
            _ = try await test.list()
            try await test.withSecondClient { second in
                _ = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                test.time.pass(.seconds(1100))
                let confirmed = try await test.list()
                let taken = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(taken.fetchedAt == confirmed.fetchedAt)
                #expect(test.script.requests.count == 2)
            }
        }
    }

    @Test("A server that starts while Google is away has the list of the ledger, as long as the policy allows")
    func startsWithout() async throws {
        try await TestStatus.run { test in
            let first = try await test.list()
            for _ in 0..<20 { test.script.script(.close) }
            test.time.pass(.seconds(5000))
            try await test.withSecondClient { second in
                let shared = try await second.statusList(at: test.time.now, maximumAge: 6000)
                #expect(shared.digest == first.digest)
                #expect(shared.fetchedAt == first.fetchedAt)
                await #expect(throws: StatusListOutage.self) {
                    try await second.statusList(at: test.time.now, maximumAge: 4000)
                }
            }
        }
    }

    @Test(
        "Damage in the ledger is as if the list were not there",
        arguments: ["list", "list cut", "index", "index cut", "index empty"])
    func damage(_ kind: String) async throws {
        try await TestStatus.run { test in
            let first = try await test.list()
            switch kind {
            case "list": test.documents.damage(Self.list) { $0[20] ^= 1 }
            case "list cut": test.documents.damage(Self.list) { $0.removeLast() }
            case "index": test.documents.damage(Self.index) { $0[14] ^= 1 }
            case "index cut": test.documents.damage(Self.index) { $0.removeLast() }
            default: test.documents.damage(Self.index) { $0 = [] }
            }
            try await test.withSecondClient { second in
                let list = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(list.digest == first.digest)
            }
            #expect(test.script.requests.count == 2)
        }
    }

    @Test("A time in the future in the ledger makes no list younger than its document")
    func future() async throws {
        try await TestStatus.run { test in
            let first = try await test.list()
            let written = try #require(first.fetchedAt)
            test.documents.damage(Self.index) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                bytes = Array(text.replacing(RFC3339.format(written), with: "2999-01-01T00:00:00Z").utf8)
            }
            for _ in 0..<20 { test.script.script(.close) }
            test.time.pass(.seconds(TestStatus.day + 10))
            try await test.withSecondClient { second in
                await #expect(throws: StatusListOutage.self) {
                    try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                }
            }
        }
    }

    @Test("A list of the ledger that lost most of its entries does not replace a former one")
    func shrunkInLedger() async throws {
        try await TestStatus.run { test in
            let former = try await test.list()
            // A server without a former list has nothing to compare, and stores what it got.
            test.documents.forget()
            let shrunk = TestStatus.list(["a1"])
            test.script.publish(shrunk, ["ETag": "\"2\""])
            test.time.pass(.seconds(1100))
            try await test.withSecondClient { second in
                let list = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(list.count == 1)
            }
            let kept = try await test.list()
            #expect(kept.digest == former.digest)
            #expect(kept.fetchedAt == former.fetchedAt)
        }
    }

    @Test("Without the ledger each server fetches the list itself")
    func ledgerOutage() async throws {
        try await TestStatus.run { test in
            test.documents.setDown(true)
            let first = try await test.list()
            test.documents.setDown(false)
            test.time.pass(.seconds(1100))
            let second = try await test.list()
            #expect(first.count == 4)
            #expect(second.count == 4)
        }
    }
}
