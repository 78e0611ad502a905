import AssayInspection
import Testing

@Suite("Inspection of hexadecimal dumps")
struct HexDumpFormatTests {
    /// 76 bytes whose characters look like digits and column separators, with repeated rows.
    private static let blob: [UInt8] =
        [0x30, 0x4A, 0x04, 0x48] + Array("face |>  xxd".utf8) + [UInt8](repeating: 0, count: 48) + [UInt8](0..<12)

    private static let dumps: [(program: String, text: String)] = [
        (
            "xxd",
            """
            00000000: 304a 0448 6661 6365 207c 3e20 2078 7864  0J.Hface |>  xxd
            00000010: 0000 0000 0000 0000 0000 0000 0000 0000  ................
            00000020: 0000 0000 0000 0000 0000 0000 0000 0000  ................
            00000030: 0000 0000 0000 0000 0000 0000 0000 0000  ................
            00000040: 0001 0203 0405 0607 0809 0a0b            ............
            """
        ),
        (
            "xxd -u -g1",
            """
            00000000: 30 4A 04 48 66 61 63 65 20 7C 3E 20 20 78 78 64  0J.Hface |>  xxd
            00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
            00000020: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
            00000030: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
            00000040: 00 01 02 03 04 05 06 07 08 09 0A 0B              ............
            """
        ),
        (
            "xxd -d -c 8",
            """
            00000000: 304a 0448 6661 6365  0J.Hface
            00000008: 207c 3e20 2078 7864   |>  xxd
            00000016: 0000 0000 0000 0000  ........
            00000024: 0000 0000 0000 0000  ........
            00000032: 0000 0000 0000 0000  ........
            00000040: 0000 0000 0000 0000  ........
            00000048: 0000 0000 0000 0000  ........
            00000056: 0000 0000 0000 0000  ........
            00000064: 0001 0203 0405 0607  ........
            00000072: 0809 0a0b            ....
            """
        ),
        (
            "xxd -a",
            """
            00000000: 304a 0448 6661 6365 207c 3e20 2078 7864  0J.Hface |>  xxd
            00000010: 0000 0000 0000 0000 0000 0000 0000 0000  ................
            *
            00000040: 0001 0203 0405 0607 0809 0a0b            ............
            """
        ),
        (
            "hexdump -C",
            """
            00000000  30 4a 04 48 66 61 63 65  20 7c 3e 20 20 78 78 64  |0J.Hface |>  xxd|
            00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
            *
            00000040  00 01 02 03 04 05 06 07  08 09 0a 0b              |............|
            0000004c
            """
        ),
        (
            "od -tx1",
            """
            0000000 30 4a 04 48 66 61 63 65 20 7c 3e 20 20 78 78 64
            0000020 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            *
            0000100 00 01 02 03 04 05 06 07 08 09 0a 0b
            0000114
            """
        ),
        (
            "od -v -Ax -tx1z",
            """
            000000 30 4a 04 48 66 61 63 65 20 7c 3e 20 20 78 78 64  >0J.Hface |>  xxd<
            000010 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  >................<
            000020 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  >................<
            000030 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  >................<
            000040 00 01 02 03 04 05 06 07 08 09 0a 0b              >............<
            00004c
            """
        ),
        (
            "od -Ad -tx1",
            """
            0000000 30 4a 04 48 66 61 63 65 20 7c 3e 20 20 78 78 64
            0000016 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            *
            0000064 00 01 02 03 04 05 06 07 08 09 0a 0b
            0000076
            """
        ),
    ]

    @Test("Dumps of every program decode to the bytes, also with omitted rows", arguments: dumps)
    func programs(program: String, text: String) throws {
        for text in [text, text + "\n", "\n" + text.split(separator: "\n").joined(separator: "\r\n")] {
            let bytes = Array(text.utf8)
            #expect(HexDumpFormat.recognise(bytes)?.certainty == .certain, "\(program)")
            let contents = HexDumpFormat.annotate(bytes)
            #expect(contents.nested.first?.bytes == Self.blob, "\(program)")
            #expect(contents.annotations.first?.violation == nil, "\(program)")
            #expect(AnnotationRules.problems(contents, of: bytes) == [])
        }
    }

    @Test("A dump of the middle of a file has its offset")
    func middle() {
        let text = "00000010: 0001 0203  ....\n00000014: 0405       ..\n"
        #expect(HexDumpFormat.annotate(Array(text.utf8)).nested.first?.bytes == [0, 1, 2, 3, 4, 5])
    }

    @Test(
        "Missing, moved and foreign lines are reported, and the others are read",
        arguments: [
            ("0000000 00 01\n0000004 02\n", [0, 1, 2], "line 2 has offset 4, expected 2"),
            ("ffffffffffff: 00\n000000000000: 01\n", [0, 1], "line 2 has offset 0, expected 281474976710656"),
            ("0000000 00 01\nhello\n0000002 02\n", [0, 1, 2], "line 2 is not of the form of the first"),
            ("0000000 00 01\n*\n7777777 02\n", [0, 1], "from line 3 on nothing is read"),
        ] as [(String, [UInt8], String)])
    func damaged(text: String, found: [UInt8], problem: String) {
        let contents = HexDumpFormat.annotate(Array(text.utf8))
        #expect(contents.nested.first?.bytes == found)
        #expect(contents.annotations.first?.violation?.contains(problem) ?? false, "\(contents.annotations)")
        #expect(HexDumpFormat.recognise(Array(text.utf8))?.certainty == .structure)
    }

    @Test(
        "Other text is not recognised as a dump",
        arguments: [
            "", "hello", "00000000", "abcdef1 fix the build", "deadbeef: it is dead", "0000000 061643 066564",
            "0000000 a3 6", "20260921T120000Z 00 01", "7fffffffffffffff: 00",
        ])
    func others(text: String) {
        #expect(HexDumpFormat.recognise(Array(text.utf8)) == nil)
    }

    @Test("A single line that looks like a dump is only a guess")
    func guess() {
        #expect(HexDumpFormat.recognise(Array("20260921 12 34".utf8))?.certainty == .guess)
        #expect(HexDumpFormat.recognise(Array("00000000 12 34".utf8))?.certainty == .certain)
    }
}
