import Assay
import AssayCore
import Foundation
import Testing

@Suite("The text of a build")
struct AppBuildTests {
    private static let digest = String(repeating: "ab", count: 32)

    @Test(
        "A build is read, and written as it is compared",
        arguments: [
            ("apple:ABCDE12345.com.example.shop@1.4.2", nil),
            ("apple:ABCDE12345.com.example.shop@20260421-rc_1+a", nil),
            ("android:com.example.shop@42", nil), ("android:com.example.shop@9223372036854775807", nil),
            ("android:com.example.shop@42@\(digest)", nil),
            (
                "android:com.example.shop@42@\(String(repeating: "AB:", count: 31))AB",
                "android:com.example.shop@42@\(digest)"
            ),
        ] as [(String, String?)])
    func reading(text: String, written: String?) throws {
        #expect(try AppBuild(text).description == written ?? text)
    }

    @Test(
        "Another text is refused with what is allowed",
        arguments: [
            ("", "expected apple:"), ("com.example.shop@42", "expected apple:"),
            ("ios:com.example.shop@42", "expected apple:"),
            ("android:com.example.shop", "expected apple:"), ("android:com.example.shop@42@a@b", "expected apple:"),
            ("android:shop@42", "two segments"), ("android:com.example.shop@042", "whole number from 1"),
            ("android:com.example.shop@0", "whole number from 1"),
            ("android:com.example.shop@1.2", "whole number from 1"),
            ("android:com.example.shop@42@abcd", "SHA-256"), ("apple:com.example.shop@1", "team ID"),
            ("apple:ABCDE12345.com.example.shop@", "bundle version"),
            ("apple:ABCDE12345.com.example.shop@1 2", "bundle version"),
            ("apple:ABCDE12345.com.example.shop@1@\(digest)", "no certificate"),
        ])
    func refusals(text: String, words: String) {
        let problem = #expect(throws: AppBuild.Problem.self) { try AppBuild(text) }
        #expect(problem?.description.contains(words) == true, "\(problem.map { "\($0)" } ?? "")")
    }
}
