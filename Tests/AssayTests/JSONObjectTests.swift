import Assay
import Foundation
import Testing

@Suite("Composed JSON")
struct JSONObjectTests {
    @Test("Members keep their order, and nil leaves one out")
    func members() {
        let none: Date? = nil
        let object = JSONObject([
            "text": "a \"b\"", "none": none, "number": 7, "flag": true, "time": Date(timeIntervalSince1970: 0),
            "list": ["x", "y"], "object": JSONObject(["inner": Int64(1)]), "written": WrittenJSON("{}"),
        ])
        #expect(
            object.text == #"{"text":"a \"b\"","number":7,"flag":true,"time":"1970-01-01T00:00:00Z","list":["x","y"],"#
                + #""object":{"inner":1},"written":{}}"#)
    }
}
