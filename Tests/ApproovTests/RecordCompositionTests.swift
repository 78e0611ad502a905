import Approov
import AssayCore
import Foundation
import Testing

@Suite("Records of Approov evidence that a backend has judged")
struct RecordCompositionTests {
    private static let time = Date(timeIntervalSince1970: 1_790_000_000)

    @Test("A composed record of a token is read back with its bound values and address")
    func token() throws {
        let input = ApproovTokenInput(token: "a.b.c", binding: ["x", "y"], address: "192.0.2.1")
        let record = EvidenceRecord(input, id: "1", app: "api", receivedAt: Self.time)
        #expect(record.kind == EvidenceKind.approovToken && record.receivedAt == Self.time && record.app == "api")
        let back = try ApproovTokenInput(record.evidence)
        #expect(back.evidence == input.evidence && back.binding == input.binding && back.address == "192.0.2.1")
        let loggable = EvidenceRecord(ApproovTokenInput(.loggable("{}")), receivedAt: Self.time)
        #expect(try ApproovTokenInput(loggable.evidence).evidence == .loggable("{}"))
        let lacking = EvidenceRecord(
            ApproovTokenInput(.token("t"), binding: [.missing, .value("y"), .repeated]), receivedAt: Self.time)
        #expect(try ApproovTokenInput(lacking.evidence).binding == [.value(""), .value("y"), .value("")])
    }

    @Test("All evidence in a record of a token is sensitive, in every form of the token")
    func sensitivity() {
        let sensitive = ApproovEngine.sensitiveFields.filter { $0.kind == EvidenceKind.approovToken }.map(\.name)
        for evidence in [ApproovTokenInput.Evidence.token("t"), .loggable("{}")] {
            let input = ApproovTokenInput(evidence, binding: [.value("x")], address: "192.0.2.1")
            let record = EvidenceRecord(input, receivedAt: Self.time)
            #expect(record.evidence.members.count == 3)
            #expect(record.evidence.members.allSatisfy { sensitive.contains($0.name) })
        }
    }

    @Test("A composed record of a message is read back byte for byte; a message without its body is refused")
    func message() throws {
        let fields = [ApproovMessageInput.Field("A", "b"), ApproovMessageInput.Field("A", "c")]
        let input = ApproovMessageInput(
            method: "POST", targetURI: "https://a.example/", fields: fields, body: .bytes([0, 255]),
            address: "192.0.2.1")
        let record = try EvidenceRecord(input, receivedAt: Self.time)
        let back = try ApproovMessageInput(record.evidence)
        #expect(back.method == "POST" && back.targetURI == input.targetURI && back.fields == fields)
        #expect(back.address == "192.0.2.1")
        guard case .bytes(let body) = back.body else { return #expect(Bool(false), "the body is bytes") }
        #expect(body == [0, 255])
        let unread = ApproovMessageInput(method: "POST", targetURI: "x", fields: [], body: .unread)
        #expect(throws: DecodeError.self) { try EvidenceRecord(unread, receivedAt: Self.time) }
    }

    @Test("A composed record of a proof is read back with its measurements or its token")
    func proof() throws {
        let key = SecretBytes([UInt8](repeating: 7, count: 16))
        let measurements = ApproovClaims.Measurements(
            proofKey: key, integrity: SecretBytes([UInt8](repeating: 8, count: 32)), device: nil)
        let input = ApproovProofInput(
            nonce: [1], proof: [2], source: .measurements(measurements), measurement: .device)
        let back = try ApproovProofInput(EvidenceRecord(input, receivedAt: Self.time).evidence)
        #expect(back.nonce == [1] && back.proof == [2] && back.measurement == .device)
        guard case .measurements(let read) = back.source else { return #expect(Bool(false), "there are measurements") }
        #expect(read.proofKey?.withUnsafeBytes { $0.elementsEqual([UInt8](repeating: 7, count: 16)) } == true)
        #expect(read.integrity?.count == 32 && read.device == nil)
        let token = ApproovProofInput(nonce: [1], proof: [2], source: .token("t"))
        guard case .token("t") = try ApproovProofInput(EvidenceRecord(token, receivedAt: Self.time).evidence).source
        else {
            return #expect(Bool(false), "there is a token")
        }
    }
}
