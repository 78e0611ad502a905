import AssayTestSupport
import AssayTesting
import Crypto
import Foundation
import Testing

@Suite("Signatures that are the same every time")
struct DeterministicSignatureTests {
    private struct Example {
        let curve: TestKey.Curve
        let hash: TestKey.Hash
        let message: String
        let scalar: String
        let signature: String
    }

    private static let p256 = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
    private static let p384 = """
        6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5
        """

    @Test("Signatures equal the examples of RFC 6979, appendices A.2.5 and A.2.6")
    func examples() throws {
        let examples = [
            Example(
                curve: .p256, hash: .sha256, message: "sample", scalar: Self.p256,
                signature: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                    + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
            Example(
                curve: .p256, hash: .sha256, message: "test", scalar: Self.p256,
                signature: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367"
                    + "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
            Example(
                curve: .p256, hash: .sha384, message: "sample", scalar: Self.p256,
                signature: "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719"
                    + "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"),
            Example(
                curve: .p384, hash: .sha384, message: "sample", scalar: Self.p384,
                signature: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C"
                    + "81A648152E44ACF96E36DD1E80FABE4699EF4AEB15F178CEA1FE40DB2603138F"
                    + "130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"),
            Example(
                curve: .p384, hash: .sha256, message: "sample", scalar: Self.p384,
                signature: "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33"
                    + "BDE1E888E63355D92FA2B3C36D8FB2CDF3AA443FB107745BF4BD77CB38916746"
                    + "32068A10CA67E3D45DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0"),
        ]
        for example in examples {
            let key = try TestKey(example.curve, scalar: #require([UInt8](hex: example.scalar)))
            let signature = try key.signature(over: Array(example.message.utf8), hash: example.hash)
            #expect(signature.concatenated == [UInt8](hex: example.signature))
        }
    }

    @Test("Another implementation verifies what any key signs")
    func verified() throws {
        var firsts: Set<[UInt8]> = []
        for number in 0..<50 {
            let key = TestKey(.p256, seed: "signatures", label: "\(number % 5)")
            let message = Array("message \(number)".utf8)
            let signature = try key.signature(over: message)
            let peer = try P256.Signing.PublicKey(x963Representation: key.publicPoint)
            let read = try P256.Signing.ECDSASignature(derRepresentation: signature.der)
            #expect(peer.isValidSignature(read, for: message))
            #expect(try key.signature(over: message) == signature)
            // The same r twice would mean the same nonce twice.
            #expect(firsts.insert(signature.r).inserted)
        }
    }
}
