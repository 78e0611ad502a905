import AndroidKey
import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import CoreMetrics
import Foundation
import MetricsTestKit
import Testing

/// Servers of one ledger share the list.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
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
            let (list, index) = try test.documentNames
            switch kind {
            case "list": test.documents.damage(list) { $0[20] ^= 1 }
            case "list cut": test.documents.damage(list) { $0.removeLast() }
            case "index": test.documents.damage(index) { $0[14] ^= 1 }
            case "index cut": test.documents.damage(index) { $0.removeLast() }
            default: test.documents.damage(index) { $0 = [] }
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
            test.documents.damage(try test.documentNames.index) { bytes in
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

    @Test("A server takes no list of the ledger that comes from another URL, whatever the documents are called")
    func origins() async throws {
        try await TestStatus.run { test in
            // Longer than the true one, so that this would be refused as shrunk.
            test.script.publish(TestStatus.list((1...40).map { "b\($0 + 10)" }))
            _ = try await test.list()
            let other = try test.documentNames
            test.script.publish(TestStatus.list(["a1"]), ["ETag": "\"2\""])
            try await test.withSecondClient(path: "/mirror") { second in
                let own = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(own.count == 1 && own.status(ofSerial: [0, 0xA1])?.state == .revoked)
                #expect(await second.lastFailure == nil)
            }
            #expect(test.script.requests.map(\.path) == ["/attestation/status", "/mirror"])
            #expect(test.documents.names.count == 4)
            // Names decide nothing: the documents say what they are.
            let mirror = test.documents.names.filter { ![other.list, other.index].contains($0) }
            test.documents.copy(other.list, to: try #require(mirror.first))
            test.documents.copy(other.index, to: try #require(mirror.last))
            try await test.withSecondClient(path: "/mirror") { third in
                let own = try await third.statusList(at: test.time.now, maximumAge: TestStatus.day)
                #expect(own.count == 1)
            }
            #expect(test.script.requests.count == 3)
        }
    }

    @Test("A refused list is reported once, with its source, and counted each time")
    func refusals() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            try await TestStatus.run { test in
                test.script.publish(TestStatus.list((1...9).map { "a\($0)" }))
                _ = try await test.list()
                let shrunk = TestStatus.list(["a1"])
                test.script.publish(shrunk, ["ETag": "\"2\""])
                for round in 1...2 {
                    test.time.pass(.seconds(round == 1 ? 1100 : 4000))
                    #expect(try await test.list().count == 9)
                }
                // A server that starts without the former list stores the shrunk one.
                test.documents.forget()
                try await test.withSecondClient { second in
                    let list = try await second.statusList(at: test.time.now, maximumAge: TestStatus.day)
                    #expect(list.count == 1)
                }
                test.time.pass(.seconds(4000))
                #expect(try await test.list().count == 9)
                await test.client.shutdown()
                var reports: [String] = []
                for await report in test.client.reports { reports.append(report) }
                #expect(reports.count == 2, "\(reports)")
                let host = "the status list of 127.0.0.1"
                #expect(reports.first?.hasPrefix("\(host) is refused: ") == true, "\(reports)")
                #expect(reports.last?.contains("stored in the ledger") == true, "\(reports)")
                #expect(reports.allSatisfy { $0.hasSuffix("(status-list-shrunk)") }, "\(reports)")
            }
        }
        let counts = Dictionary(
            metrics.counters.filter { $0.label == MetricName.statusListRefused.rawValue }.map {
                ($0.dimensions.map(\.1).joined(separator: " "), $0.totalValue)
            }, uniquingKeysWith: +)
        #expect(
            counts.keys.sorted() == [
                "ledger status-list-older", "ledger status-list-shrunk", "server status-list-older",
                "server status-list-shrunk",
            ])
        #expect(counts["server status-list-shrunk"] ?? 0 >= 2 && counts["ledger status-list-shrunk"] ?? 0 >= 1)
        #expect(counts["server status-list-older"] == 0)
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
