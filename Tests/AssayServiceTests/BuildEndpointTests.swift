import AssayTestSupport
import Foundation
import Testing

@Suite("Endpoints of admitted builds", .timeLimit(.minutes(30)))
struct BuildEndpointTests {
    private static let build = "android:com.example.shop@42"

    private static func path(_ build: String = build) -> String {
        "/v1/admin/builds/" + build.replacing(":", with: "%3A").replacing("@", with: "%40")
    }

    @Test("Builds are admitted, listed in pages, renewed and removed, under the operator's name in the audit trail")
    func life() throws {
        let administered = try AdministrationTests.Administered()
        func admit(_ builds: [String], as role: String, _ rest: String = "") throws -> HTTPAnswer {
            let list = builds.map { "\"\($0)\"" }.joined(separator: ",")
            return try administered.send(
                "POST", "/v1/admin/builds", as: role, #"{"builds":[\#(list)],"reason":"release"\#(rest)}"#)
        }
        let admitted = try admit([Self.build], as: "pipeline", #","name":"1.4","until":"2999-01-01T00:00:00Z""#)
        #expect(admitted.status == 200, "\(admitted)")
        let item = (admitted.json["items"] as? [[String: Any]])?.first
        #expect(item?["admittedBy"] as? String == "pipeline-1" && item?["name"] as? String == "1.4")
        // Of two ends the later one holds.
        let again = try admit([Self.build], as: "operator", #","until":"2998-01-01T00:00:00Z""#)
        #expect(
            (again.json["items"] as? [[String: Any]])?.first?["until"] as? String == "2999-01-01T00:00:00Z",
            "\(again)")

        #expect(try admit((1...5).map { "android:com.example.other@\($0)" }, as: "pipeline").status == 200)
        var (builds, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try administered.send(
                "GET",
                "/v1/admin/builds?app=com.example.other&limit=2"
                    + (cursor.map { "&cursor=\($0.replacing("@", with: "%40"))" } ?? ""), as: "viewer")
            builds += try #require(page.json["items"] as? [[String: Any]]).compactMap { $0["build"] as? String }
            cursor = page.json["next"] as? String
        } while cursor != nil
        #expect(builds == (1...5).map { "android:com.example.other@\($0)" })

        // A permanent admission of another operator is removed by administrators, one with an end by operators.
        let permanent = try administered.send("DELETE", Self.path(builds[0]), as: "operator")
        #expect(permanent.status == 403 && permanent.json["code"] as? String == "permanent-build", "\(permanent)")
        #expect(try administered.send("DELETE", Self.path(builds[0]), as: "admin").status == 200)
        #expect(try administered.send("DELETE", Self.path(), as: "operator").status == 200)
        let unknown = try administered.send("DELETE", Self.path(), as: "operator")
        #expect(unknown.status == 404 && unknown.json["code"] as? String == "unknown-build")

        let many = "/v1/admin/builds?app=com.example.other&admittedBefore=2999-01-01T00%3A00%3A00Z&count="
        let differing = try administered.send("DELETE", many + "3", as: "admin")
        #expect(differing.status == 409 && differing.json["code"] as? String == "builds-differ", "\(differing)")
        #expect((try administered.send("DELETE", many + "4", as: "admin").json["items"] as? [Any])?.count == 4)
        let trail = try administered.trail()
        for entry in [
            "pipeline-1 admit-build build \(Self.build)", "operator-1 admit-build build \(Self.build)",
            "pipeline-1 admit-build builds", "operator-1 remove-build build \(Self.build)",
            "admin-1 remove-build builds",
        ] {
            #expect(trail.contains(entry), "\(entry): \(trail)")
        }
    }

    @Test(
        "A wrong request is refused with its field, and changes nothing",
        arguments: [
            ("{}", 400, "builds"), (#"{"builds":[],"reason":"r"}"#, 400, "1 to 500"),
            (#"{"builds":["shop"],"reason":"r"}"#, 400, "expected apple:"),
            (#"{"builds":["android:com.example.shop@1"]}"#, 400, "reason"),
            (#"{"builds":["android:com.example.shop@1"],"reason":"r","until":"2020-01-01T00:00:00Z"}"#, 400, "to come"),
        ])
    func refusals(body: String, status: Int, words: String) throws {
        let administered = try AdministrationTests.Administered()
        let answer = try administered.send("POST", "/v1/admin/builds", as: "pipeline", body)
        #expect(answer.status == status && answer.body.contains(words), "\(answer)")
        #expect(
            (try administered.send("GET", "/v1/admin/builds", as: "viewer").json["items"] as? [Any])?.isEmpty == true)
    }
}
