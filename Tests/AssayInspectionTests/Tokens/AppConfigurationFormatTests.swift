import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayTesting
import Testing

@Suite("Inspection of configurations of apps")
struct AppConfigurationFormatTests {
    private func token(_ type: String = "assay-configuration+jwt", mode: String = "unpin") throws -> [UInt8] {
        let claims: JSONItem = [
            "iss": "https://attest.example.com", "aud": "shop", "iat": 1_790_000_000, "version": 3, "force": 2,
            "pins": [
                "api.example.com": [
                    ["pin": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "notAfter": 1_800_000_000]
                ]
            ], "keys": [["kty": "EC"]], "mode": .text(mode), "did": "phone", "exp": 1_790_003_600,
        ]
        var blueprint = JWSBlueprint(
            payload: claims.encoded, signer: .es256(TestKey(.p256, seed: "inspection", label: "configuration")))
        blueprint.header["typ"] = .text(type)
        return Array(try blueprint.mint().utf8)
    }

    private func inspect(_ bytes: [UInt8]) -> InspectionLayer {
        EngineRegistry.standard.inspector.inspect(bytes, name: "shop.jwt")
    }

    @Test("A configuration is recognised by its type, and its members are explained")
    func members() throws {
        let layer = inspect(try token())
        #expect(layer.format == "Assay configuration of an app" && layer.violation == nil)
        #expect(layer.unknown.first?.contains("whether an app takes it over") == true)
        let claims = try #require(layer.nested.first { $0.name == "payload of the JWS" })
        #expect(claims.format == "claims of an app's configuration" && claims.violation == nil)
        let text = claims.annotations.shown
        for words in [
            "the app, by its name in the policy", "grows with every change of pins and keys",
            "apps with a lower version connect to no pinned host", "no pins count: for tests of the app",
            "the device that the mode is for", "the mode ends at 2026-09-21T15:13:20Z", "2027-01-15T08:00:00Z",
        ] { #expect(text.contains(words), "\(words): \(text)") }
        let open = inspect(try token(mode: "open")).nested.map(\.annotations.shown).joined()
        #expect(open.contains("no mode that is known here"))
    }

    @Test("Another type is no configuration, and a broken one is shown as far as it goes")
    func others() throws {
        #expect(inspect(try token("assay+jwt")).format == "Assay token")
        #expect(inspect(try token("jwt")).format != "Assay configuration of an app")
        let whole = try token()
        for length in stride(from: 0, to: whole.count, by: 7) { _ = inspect(Array(whole.prefix(length))) }
    }
}
