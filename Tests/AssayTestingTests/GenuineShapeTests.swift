import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite(
    "Minted evidence has the shape of genuine evidence", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct GenuineShapeTests {
    private func genuine(_ name: String) throws -> GenuineAttestation {
        let records = try JSONSerialization.jsonObject(with: SharedFiles.data("vectors/app-attest/\(name).json"))
        let first = try #require((records as? [[String: Any]])?.first)
        let evidence = try #require(first["evidence"] as? [String: Any])
        let attestation = try #require((evidence["attestation"] as? String).flatMap { Data(base64Encoded: $0) })
        return GenuineAttestation(Array(attestation))
    }

    private func minted(_ device: AppAttestDevice) throws -> GenuineAttestation {
        let minted = try AttestationBlueprint(
            authority: Fixtures.authority(), appID: Fixtures.appID, device: device,
            clientData: .bytes([1]), issuedAt: Fixtures.time
        ).mint()
        return GenuineAttestation(minted.attestation)
    }

    @Test(
        "Certificates have the fields of Apple's, one by one",
        arguments: [
            ("veehaitch-ios-14.2", AppAttestDevice.iOS14), ("warden-ios17", .iOS17), ("mikedan-2", .iOS26),
        ])
    func certificates(name: String, device: AppAttestDevice) throws {
        let (genuine, minted) = (try genuine(name).byteStrings, try minted(device).byteStrings)
        #expect(minted.count == 4)
        #expect(BEROutline(minted[0]).lines == BEROutline(genuine[0]).lines)
        #expect(BEROutline(minted[1]).lines == BEROutline(genuine[1]).lines)
        for identifier in [5, 7] as [UInt8] {
            let prefix: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, identifier, 0x04]
            let (ours, apples) = (value(after: prefix, in: minted[0]), value(after: prefix, in: genuine[0]))
            #expect(BEROutline(ours).lines == BEROutline(apples).lines)
        }
        #expect(minted[3].count == genuine[3].count)
    }

    @Test("Receipts have the form of Apple's, chunk by chunk, and the fields in their order")
    func receipts() throws {
        // Apple's certificates name policies and revocation services, which a test authority does not have.
        func frame(_ receipt: [UInt8]) -> [String] {
            let lines = BEROutline(receipt).lines
            return Array(lines.prefix(16)) + Array(lines.suffix(27))
        }
        let (genuine, minted) = (try genuine("apple-guide-2026").byteStrings, try minted(.iOS27).byteStrings)
        #expect(frame(minted[2]) == frame(genuine[2]))
        #expect(fieldTypes(minted[2]) == [2, 3, 4, 5, 6, 7, 12, 21])
        #expect(fieldTypes(genuine[2]) == [2, 3, 4, 5, 6, 7, 12, 21])
    }

    /// The contents of the OCTET STRING whose tag is the last byte of `prefix`.
    private func value(after prefix: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard let range = bytes.firstRange(of: prefix) else { return [] }
        var index = range.upperBound
        var length = Int(bytes[index])
        index += 1
        if length > 0x80 {
            let count = length - 0x80
            length = bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
            index += count
        }
        return Array(bytes[index..<index + length])
    }

    /// The types of a receipt's fields, found by what surrounds each: INTEGER type, INTEGER 1, OCTET STRING. The
    /// receipts hold their payload in two chunks, the first of 1000 bytes at byte 58.
    private func fieldTypes(_ receipt: [UInt8]) -> [UInt8] {
        guard receipt.count > 2000 else { return [] }
        let second = receipt[1058..<1600]
        let header = second[1059] < 0x80 ? 2 : Int(second[1059] - 0x80) + 2
        let payload = Array(receipt[58..<1058]) + Array(second.dropFirst(header))
        return (0..<payload.count - 7).filter {
            payload[$0] == 2 && payload[$0 + 1] == 1 && Array(payload[$0 + 3..<$0 + 7]) == [2, 1, 1, 4]
        }.map { payload[$0 + 2] }
    }
}
