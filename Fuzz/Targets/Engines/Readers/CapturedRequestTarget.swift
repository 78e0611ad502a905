import Approov
import AssayCore
import AssayInspection
import AssayPrimitives

extension FuzzTarget {
    /// Saved HTTP requests.
    static let capturedRequest = FuzzTarget(
        name: "captured-request", maximumLength: 512,
        dictionary: [
            "POST ", " HTTP/1.1\r\n", " HTTP/2\n", "Host: ", "Content-Length: ", "Transfer-Encoding: chunked",
            "\r\n\r\n",
            "https://", "\t", ": ",
        ],
        seeds: {
            [
                "POST /v1/items?a=1 HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 5\r\nA: b\r\n\r\nhello",
                "GET https://api.example.com/ HTTP/2\nApproov-Token: a.b.c\n\n", "GET https://a/\n\nbody",
            ].map { Array($0.utf8) }
        },
        run: { input in
            let request: CapturedRequest
            do throws(DecodeError) {
                request = try CapturedRequest(input)
            } catch {
                guard (0...input.count).contains(error.offset) else { broken("the error stands outside: \(error)") }
                return false
            }
            check(request, input)
            return true
        })

    /// Writing a request and reading it gives the same request, and its parts are in the input.
    private static func check(_ request: CapturedRequest, _ input: [UInt8]) {
        guard request.body.isEmpty || input.suffix(request.body.count).elementsEqual(request.body) else {
            broken("the body is not the end of the input")
        }
        let names = request.fields.filter { HTTPFieldText.isName($0.name, equalTo: "Host") }
        guard names.count <= 1 else { broken("two hosts") }
        for field in request.fields {
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                broken("a control character in a field")
            }
            guard HTTPFieldText.trimmed(Array(field.value.utf8)[...]).count == field.value.utf8.count else {
                broken("white space around a value")
            }
        }
        let lines = request.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let written = Array("\(request.method) \(request.target) HTTP/2\r\n\(lines)\r\n".utf8) + request.body
        guard let again = try? CapturedRequest(written), again.method.isByteEqual(to: request.method),
            again.target.isByteEqual(to: request.target), again.fields == request.fields, again.body == request.body
        else { broken("what is written is read as something else") }
        if let uri = request.targetURI, request.likelyTargetURI != uri { broken("the target URI is another") }
    }
}
