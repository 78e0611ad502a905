import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("HTTP signatures: the signature base") struct SignatureBaseTests {
    typealias Field = HTTPMessageParts.Field

    static let request = HTTPMessageParts(
        method: "POST", targetURI: "HTTPS://Example.COM:443?a=1&b=x+y&b%5B=2&a=3&c&%41%zz=%e2%82%ac%FF&=e#frag",
        fields: [
            Field("Approov-Token", " tok \t"), Field("X-Two", "a"), Field("x-two", "b"), Field("X-Empty", ""),
            Field("X-Tab", "a\tb"), Field("X-High", "\u{e9}"), Field("X-Folded", "a \r\n\t b"),
            Field("X-Break", "a\nb"), Field("X-Null", "a\0b"), Field("X-Dict", "a=1,b;q=2 ,c=(1   2)"),
            Field("X-Dict", "a-b=:AAE=:"), Field("X-Twice", "a=1,a=2"), Field("Priority", "u=1 ,i"),
            Field("Client-Cert", ":AAE=: "), Field("Cache-Status", "a;hit,b"),
        ],
        trailers: [Field("X-Trailer", "late")])

    static func value(
        _ identifier: String, in message: HTTPMessageParts = request, rules: SignatureBaseRules = SignatureBaseRules()
    ) throws -> String {
        let component = try SignatureComponent(StructuredFieldReader.readItem(Array(identifier.utf8)[...]))
        return String(decoding: try SignatureBase.value(of: component, in: message, rules: rules), as: UTF8.self)
    }

    @Test(
        "Component values are derived and normalised by the RFC",
        arguments: [
            (#""@method""#, "POST"), (#""@scheme""#, "https"), (#""@authority""#, "example.com"), (#""@path""#, "/"),
            (#""@query""#, "?a=1&b=x+y&b%5B=2&a=3&c&%41%zz=%e2%82%ac%FF&=e"),
            (#""@request-target""#, "/?a=1&b=x+y&b%5B=2&a=3&c&%41%zz=%e2%82%ac%FF&=e"),
            (#""@target-uri""#, request.targetURI), (#""@query-param";name="b""#, "x%20y"),
            (#""@query-param";name="b%5B""#, "2"), (#""@query-param";name="c""#, ""),
            (#""@query-param";name="A%25zz""#, "%E2%82%AC%FF"), (#""@query-param";name="""#, "e"),
            (#""approov-token""#, "tok"), (#""x-two""#, "a, b"), (#""x-empty""#, ""), (#""x-tab""#, "a\tb"),
            (#""x-high""#, "\u{e9}"), (#""x-two";bs"#, ":YQ==:, :Yg==:"), (#""x-empty";bs"#, "::"),
            (#""x-dict";key="a""#, "1"), (#""x-dict";key="b""#, "?1;q=2"), (#""x-dict";key="c""#, "(1 2)"),
            (#""x-dict";key="a-b";sf"#, ":AAE=:"), (#""priority";sf"#, "u=1, i"), (#""client-cert";sf"#, ":AAE=:"),
            (#""cache-status";sf"#, "a;hit, b"), (#""x-trailer";tr"#, "late"), (#""x-high";bs"#, ":w6k=:"),
        ])
    func values(_ identifier: String, _ expected: String) throws {
        #expect(try Self.value(identifier) == expected)
    }

    @Test(
        "Components without a value that can be signed are reported",
        .producesOfFamily("ambiguous", "invalid-parameter", "invalid-value", "not-structured"),
        arguments: [
            (#""x-none""#, SignatureBaseError.Code.notInMessage), (#""x-trailer""#, .notInMessage),
            (#""x-two";tr"#, .notInMessage), (#""@status""#, .notInMessage), (#""@method";req"#, .notInMessage),
            (#""x-two";req"#, .notInMessage), (#""x-dict";key="z""#, .notInMessage),
            (#""@query-param";name="z""#, .notInMessage), (#""@query-param";name="b[""#, .notInMessage),
            (#""@query-param";name="a""#, .ambiguous), (#""X-Two""#, .invalidName), (#""x two""#, .invalidName),
            (#""""#, .invalidName), (#""x:two""#, .invalidName), (#""@unknown""#, .unknownComponent),
            (#""@""#, .unknownComponent), (#""@Method""#, .unknownComponent),
            (#""@signature-params""#, .unknownComponent), (#""x-two";bs;sf"#, .invalidParameter),
            (#""x-dict";key="a";bs"#, .invalidParameter), (#""x-two";other"#, .invalidParameter),
            (#""x-two";sf=1"#, .invalidParameter), (#""x-two";bs=?0"#, .invalidParameter),
            (#""x-dict";key=a"#, .invalidParameter), (#""x-two";name="a""#, .invalidParameter),
            (#""@query-param""#, .invalidParameter), (#""@query-param";name=a"#, .invalidParameter),
            (#""@query";name="a""#, .invalidParameter), (#""@method";sf"#, .invalidParameter),
            (#""@method";bs"#, .invalidParameter), (#""@method";tr"#, .invalidParameter),
            (#""@method";key="a""#, .invalidParameter), (#""x-folded""#, .invalidValue),
            (#""x-folded";bs"#, .invalidValue), (#""x-break""#, .invalidValue), (#""x-null""#, .invalidValue),
            (#""x-two";sf"#, .notStructured), (#""x-tab";key="a""#, .notStructured),
            (#""x-twice";key="a""#, .notStructured),
        ])
    func errors(_ identifier: String, _ code: SignatureBaseError.Code) {
        #expect {
            try Self.value(identifier)
        } throws: { error in
            (error as? SignatureBaseError)?.reason == code && (error as? SignatureBaseError)?.component == identifier
        }
    }

    @Test("Folds become single spaces where that is allowed; other line breaks never pass")
    func folds() throws {
        let rules = SignatureBaseRules(lineFolding: .unfold)
        #expect(try Self.value(#""x-folded""#, rules: rules) == "a b")
        #expect(try Self.value(#""x-folded";bs"#, rules: rules) == ":YSBi:")
        for value in ["a\nb", "a\rb", "a\r\nb", "a\n b", "a\r\n", "a\r", "\r\n", "a \r\n b\n"] {
            let message = HTTPMessageParts(method: "GET", targetURI: "", fields: [Field("x", value)])
            #expect(throws: SignatureBaseError.self, "\(value)") { try Self.value(#""x""#, in: message, rules: rules) }
        }
        for (value, expected) in [("\r\n a", "a"), ("a\r\n ", "a"), ("a\r\n \r\n b", "a b"), ("a\t\r\n  b", "a b")] {
            let message = HTTPMessageParts(method: "GET", targetURI: "", fields: [Field("x", value)])
            #expect(try Self.value(#""x""#, in: message, rules: rules) == expected)
        }
    }

    @Test(
        "The authority is the host in lower case and a port that is not the scheme's, or none where clients leave it out",
        arguments: [
            ("https://A.example:8443/x", "a.example:8443", "a.example"), ("http://a:80/x", "a", "a"),
            ("http://a:443", "a:443", "a"), ("https://a:80?q", "a:80", "a"), ("https://a:/", "a", "a"),
            ("https://[::1]:443/", "[::1]", "[::1]"), ("https://[2001:DB8::1]:1/", "[2001:db8::1]:1", "[2001:db8::1]"),
            ("https://a#x:1", "a", "a"), ("https://a?x@b", "a", "a"),
        ])
    func authority(_ target: String, _ expected: String, _ withoutPort: String) throws {
        let message = HTTPMessageParts(method: "GET", targetURI: target, fields: [])
        #expect(try Self.value(#""@authority""#, in: message) == expected)
        let rules = SignatureBaseRules(authorityWithoutPort: true)
        #expect(try Self.value(#""@authority""#, in: message, rules: rules) == withoutPort)
    }

    @Test(
        "Nothing is derived from what is no absolute URI of a host",
        arguments: [
            "", "/path", "example.com/x", "https:/example.com", "://a/", "https://", "https:///x", "https://:443/",
            "https://user@a/", "https://a:b/", "https://a:1:2/", "ht tp://a/", "https://a b/", "https://\u{e9}/",
            "https://a\n/",
        ])
    func badTargets(_ target: String) {
        let message = HTTPMessageParts(method: "GET", targetURI: target, fields: [])
        #expect(throws: SignatureBaseError.self) { try Self.value(#""@authority""#, in: message) }
    }

    @Test("No derived component can carry line breaks or anything but printable ASCII")
    func injection() {
        for text in ["GE T", "", "G\nET", "G\u{e9}T"] {
            let message = HTTPMessageParts(method: text, targetURI: "https://a/", fields: [])
            #expect(throws: SignatureBaseError.self) { try Self.value(#""@method""#, in: message) }
        }
        for name in ["@target-uri", "@path", "@query", "@request-target"] {
            for target in ["https://a/\nx?\n", "https://a/\u{e9}?\u{e9}", "https://a/\0?\0", "https://a/\u{7f}?\u{7f}"]
            {
                let message = HTTPMessageParts(method: "GET", targetURI: target, fields: [])
                #expect(throws: SignatureBaseError.self, "\(name)") { try Self.value("\"\(name)\"", in: message) }
            }
        }
        let asterisk = HTTPMessageParts(method: "GET", targetURI: "https://a", fields: [], requestTarget: "*\n")
        #expect(throws: SignatureBaseError.self) { try Self.value(#""@request-target""#, in: asterisk) }
        for status in [0, 99, 1000, -200] {
            let message = HTTPMessageParts(status: status, fields: [])
            #expect(throws: SignatureBaseError.self) { try Self.value(#""@status""#, in: message) }
        }
    }

    @Test("A response takes what req names from its request, and has no method of its own")
    func responses() throws {
        let response = HTTPMessageParts(status: 204, fields: [Field("X-Two", "own")], to: Self.request)
        #expect(try Self.value(#""@status""#, in: response) == "204")
        #expect(try Self.value(#""@method";req"#, in: response) == "POST")
        #expect(try Self.value(#""@path";req"#, in: response) == "/")
        #expect(try Self.value(#""x-two""#, in: response) == "own")
        #expect(try Self.value(#""x-two";req"#, in: response) == "a, b")
        #expect(try Self.value(#""x-trailer";tr;req"#, in: response) == "late")
        #expect(try Self.value(#""x-dict";key="a";req"#, in: response) == "1")
        for identifier in [#""@method""#, #""@path""#, #""@target-uri""#, #""@request-target""#, #""@status";req"#] {
            #expect(throws: SignatureBaseError.self, "\(identifier)") { try Self.value(identifier, in: response) }
        }
        let alone = HTTPMessageParts(status: 204, fields: [])
        #expect(throws: SignatureBaseError.self) { try Self.value(#""@method";req"#, in: alone) }
    }

    @Test("The base has a line for each component in its order and ends with the parameters, without a line break")
    func lines() throws {
        let field = try SignatureInputField(
            Array(#"s=("x-two" "@method" "x-dict";key="a");created=1;x=2.50;alg="a\\b""#.utf8)[...])
        let input = try #require(field["s"])
        #expect(
            String(decoding: try SignatureBase.build(for: input, of: Self.request), as: UTF8.self)
                == """
                "x-two": a, b
                "@method": POST
                "x-dict";key="a": 1
                "@signature-params": ("x-two" "@method" "x-dict";key="a");created=1;x=2.5;alg="a\\\\b"
                """)
    }

    @Test("The parameters are written anew, so that a field that was respaced on its way verifies")
    func respaced() throws {
        let sent = try SignatureInputField(Array(#"s=("x-two" "@method");created=1;alg="a""#.utf8)[...])
        let arrived = try SignatureInputField(
            Array(#"t=() ,s=( "x-two"   "@method" ); created=01;  alg="a""#.utf8)[...])
        let (first, second) = (try #require(sent["s"]), try #require(arrived["s"]))
        #expect(first.isCanonical)
        #expect(!second.isCanonical)
        #expect(
            try SignatureBase.build(for: first, of: Self.request)
                == SignatureBase.build(for: second, of: Self.request))
    }

    @Test("Other parameters, or another order of them or of components, make another base")
    func distinct() throws {
        let texts = [
            #"s=("x-two" "@method");created=1;alg="a""#, #"s=("@method" "x-two");created=1;alg="a""#,
            #"s=("x-two" "@method");alg="a";created=1"#, #"s=("x-two" "@method");created=2;alg="a""#,
            #"s=("x-two" "@method");created=1;alg="b""#, #"s=("x-two");created=1;alg="a""#,
            #"s=("x-two";bs "@method");created=1;alg="a""#, #"s=("x-two" "@method");created=1;alg="a";x"#,
            #"s=("x-two" "@method");created=1"#,
        ]
        let bases = try texts.map { text in
            let input = try #require(try SignatureInputField(Array(text.utf8)[...])["s"])
            return try SignatureBase.build(for: input, of: Self.request)
        }
        #expect(Set(bases).count == texts.count)
    }

    @Test("An HMAC signature of the RFC verifies, and not over a message that was changed (section B.2.5)")
    func example() throws {
        let secret = try Base64.decode(
            "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==", .standard)
        let signature = "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:"
        let covered = #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        func isValid(date: String) throws -> Bool {
            let message = HTTPMessageParts(
                method: "POST", targetURI: "https://example.com/foo?param=Value&Pet=dog",
                fields: [Field("Date", date), Field("Content-Type", "application/json")])
            let input = try #require(try SignatureInputField(Array(covered.utf8)[...])["sig-b25"])
            let expected = try #require(try SignatureField(Array(signature.utf8)[...])["sig-b25"])
            let base = try SignatureBase.build(for: input, of: message)
            return ConstantTime.equals(HMAC.sha256(key: secret, base), expected)
        }
        #expect(try isValid(date: "Tue, 20 Apr 2021 02:07:55 GMT"))
        #expect(try !isValid(date: "Tue, 20 Apr 2021 02:07:56 GMT"))
    }

    @Test("Many components of long fields cost no more than a few readings of the message")
    func cost() throws {
        let dictionary = (0..<1000).map { "k\($0)=\"" + String(repeating: "x", count: 40) + "\"" }.joined(
            separator: ",")
        let query = (0..<4000).map { "q\($0)=%41%42" }.joined(separator: "&")
        let message = HTTPMessageParts(
            method: "GET", targetURI: "https://a/?" + query,
            fields: [Field("x", dictionary)] + (0..<500).map { Field("y\($0)", "v") })
        let components = (0..<32).flatMap { index in
            [
                SignatureComponent("x", [StructuredParameter("key", .string("k\(index * 31)"))]),
                SignatureComponent("@query-param", [StructuredParameter("name", .string("q\(index)"))]),
            ]
        }
        let input = try SignatureInput(label: "s", components: components, parameters: [])
        let time = try ProcessorTime.measure { _ = try SignatureBase.build(for: input, of: message) }
        #expect(time < .milliseconds(2500) * Sanitizer.slowdown)
    }
}
