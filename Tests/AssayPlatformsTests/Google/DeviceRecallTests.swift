import AssayCore
import AssayHTTPTestSupport
import AssayPlatforms
import PlayIntegrity
import Testing

@Suite(.timeLimit(.minutes(20))) struct DeviceRecallTests {
    @Test(
        "only the bits that were given are sent",
        arguments: [
            (DeviceRecallBits<Bool>(first: true), #"{"bitFirst":true}"#),
            (DeviceRecallBits<Bool>(second: false, third: true), #"{"bitSecond":false,"bitThird":true}"#),
            (
                DeviceRecallBits<Bool>(first: false, second: false, third: false),
                #"{"bitFirst":false,"bitSecond":false,"bitThird":false}"#
            ),
        ])
    func writes(_ values: DeviceRecallBits<Bool>, _ bits: String) async throws {
        try await TestClient.run { test in
            try await test.write(values)
            let request = try #require(test.google.apiRequests.first)
            #expect(request.path == "/v1/com.example.shop/deviceRecall:write")
            #expect(request.fields["authorization"] == "Bearer \(test.google.tokens[0])")
            #expect(request.text == #"{"integrityToken":"\#(TestClient.token)","newValues":\#(bits)}"#)
            #expect(test.client.usage(of: TestClient.package).writes == 1)
        }
    }

    @Test("nothing to write is the caller's error, and nothing is sent")
    func nothing() async throws {
        try await TestClient.run { test in
            await #expect(throws: DeviceRecallError.nothingToWrite) { try await test.write(DeviceRecallBits<Bool>()) }
            #expect(test.google.tokenRequests.isEmpty)
        }
    }

    @Test("a token that Google refuses is rejected with Google's message")
    func refused() async throws {
        try await TestClient.run { test in
            test.google.script(.answer(400, FakeGoogle.error(400, "INVALID_ARGUMENT", "Token is too old.")))
            await #expect(throws: DeviceRecallError.refused("INVALID_ARGUMENT: Token is too old.")) {
                try await test.write(DeviceRecallBits<Bool>(first: true))
            }
            #expect(test.google.apiRequests.count == 1)
        }
    }

    @Test("an answer that was lost is no reason not to write again, since the same bits are written")
    func lostAnswer() async throws {
        try await TestClient.run { test in
            test.google.script(.close, .answer(503, ""))
            try await test.write(DeviceRecallBits<Bool>(first: true))
            #expect(test.google.apiRequests.count == 3)
        }
    }

    @Test("an outage is reported as such")
    func outage() async throws {
        try await TestClient.run { test in
            test.google.script(.answer(403, FakeGoogle.error(403, "PERMISSION_DENIED", "Not you.")))
            let error = await #expect(throws: DeviceRecallError.self) {
                try await test.write(DeviceRecallBits<Bool>(first: true))
            }
            guard case .outage(let outage) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(outage.code == .notAuthorised)
        }
    }
}

extension TestClient {
    fileprivate func write(_ values: DeviceRecallBits<Bool>) async throws(DeviceRecallError) {
        try await client.writeDeviceRecall(token: Self.token, packageName: Self.package, values: values)
    }
}
