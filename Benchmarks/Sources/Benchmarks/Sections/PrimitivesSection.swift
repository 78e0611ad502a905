import Assay
import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation
import RawStructuredFieldValues
import SwiftASN1
import X509

/// Decoders against those of the platform and of well-known libraries, on the bytes of real evidence.
struct PrimitivesSection: Section {
    let name = "primitives"
    let title = "Decoders"
    let note = "The same bytes for both, in the same run by turns. Processor time of one thread."

    func figures(_ pace: Pace) async throws -> [Figure] {
        let race = Race(pace: pace)
        let minted = try MintedAppAttestSubject(now: Date(), devices: 1)
        let attestation = minted.attestations[0]
        return try await json(race) + cbor(race, attestation.attestation)
            + certificates(race, attestation.certificates[0]) + base64(race, attestation.attestation) + fields(race)
    }

    private func json(_ race: Race) async throws -> [Figure] {
        let payload = try ClassicTokenSubject(now: Date()).payload
        let data = Data(payload)
        let decoder = JSONDecoder()
        return try await race.figures(
            .thread(
                "integrity payload as strict JSON", repeating { _ = try JSONReader.readObject(payload, limit: 65_536) }),
            against: [
                .peer(
                    .thread(
                        "JSONDecoder",
                        repeating { _ = try decoder.decode(IntegrityPayloadModel.self, from: data) }),
                    target: .atLeast(10),
                    leavesOut: "members that come twice and a byte order mark are accepted, and nothing has a limit."),
                .peer(
                    .thread("JSONSerialization", repeating { _ = try JSONSerialization.jsonObject(with: data) }),
                    leavesOut: "the same."),
            ])
    }

    private func cbor(_ race: Race, _ bytes: [UInt8]) async throws -> [Figure] {
        try await race.figures(
            .thread(
                "attestation object as strict CBOR",
                repeating {
                    var reader = CBORReader(bytes)
                    try Self.readObject(&reader)
                    try reader.finish()
                }),
            against: [
                .peer(
                    .thread("cbor_load (libcbor)") { count in
                        for _ in 0..<count { require(BareCBOR.canLoad(bytes), "cbor_load") }
                    },
                    leavesOut: """
                        keys that come twice, indefinite lengths and integers that are longer than they need to be are \
                        accepted.
                        """)
            ])
    }

    /// Takes all parts of an attestation object.
    private static func readObject(_ reader: inout CBORReader) throws(DecodeError) {
        try reader.readMap { (key, reader) throws(DecodeError) in
            switch key {
            case "fmt": _ = try reader.readText()
            case "attStmt":
                try reader.readMap { (key, reader) throws(DecodeError) in
                    switch key {
                    case "x5c":
                        try reader.readArray { (_, reader) throws(DecodeError) in _ = try reader.readByteString() }
                    default: _ = try reader.readByteString()
                    }
                }
            default: _ = try reader.readByteString()
            }
        }
    }

    private func certificates(_ race: Race, _ der: [UInt8]) async throws -> [Figure] {
        try await race.figures(
            .thread(
                "certificate with its key", repeating { _ = try AssayPrimitives.Certificate(der: der[...]).publicKey() }
            ),
            against: [
                .peer(
                    .thread("d2i_X509 (OpenSSL)") { count in
                        for _ in 0..<count { require(BareChain.canParse(der), "d2i_X509") }
                    }, leavesOut: "extensions are read later; encodings that are not DER are accepted."),
                .peer(
                    .thread("swift-certificates", repeating { _ = try X509.Certificate(derEncoded: der) }),
                    leavesOut: "extensions are read later."),
            ])
    }

    private func base64(_ race: Race, _ bytes: [UInt8]) async throws -> [Figure] {
        let text = Array(Data(bytes).base64EncodedString().utf8)
        let data = Data(text)
        return try await race.figures(
            .thread("attestation object from base64", repeating { _ = try Base64.decode(text[...], .standard) }),
            against: [
                .peer(
                    .thread("Data(base64Encoded:)") { count in
                        for _ in 0..<count { require(Data(base64Encoded: data)?.count == bytes.count, "base64") }
                    }, leavesOut: "unused bits may be anything.")
            ])
    }

    private func fields(_ race: Race) async throws -> [Figure] {
        let value = Array(
            """
            install=("@method" "@target-uri" "approov-token" "content-digest");alg="ecdsa-p256-sha256";\
            created=1795132800;expires=1795132815
            """.utf8)
        return try await race.figures(
            .thread(
                "Signature-Input as a structured field",
                repeating { _ = try StructuredFieldReader.readDictionary(value[...]) }),
            against: [
                .peer(
                    .thread(
                        "swift-http-structured-headers",
                        repeating {
                            var parser = StructuredFieldValueParser(value)
                            _ = try parser.parseDictionaryFieldValue()
                        }), leavesOut: "keys that come twice are accepted, as RFC 9651 has it, and nothing has a limit."
                )
            ])
    }
}
