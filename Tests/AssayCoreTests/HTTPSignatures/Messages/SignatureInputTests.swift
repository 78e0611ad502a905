import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("HTTP signatures: what is covered") struct SignatureInputTests {
    private static func field(_ text: String) throws -> SignatureInputField {
        try SignatureInputField(Array(text.utf8)[...])
    }

    @Test("Components and parameters are read in their order, unknown ones too")
    func reading() throws {
        let text = """
            install=("@method" "x";sf;key="k");created=1618884473;expires=1618884488;nonce="n";alg="ecdsa-p256-sha256";\
            keyid="me";tag="t";other=tok, proxy=()
            """
        let field = try Self.field(text)
        #expect(field.inputs.map(\.label) == ["install", "proxy"])
        let input = try #require(field["install"])
        #expect(
            input.components == [
                SignatureComponent("@method"),
                SignatureComponent(
                    "x", [StructuredParameter("sf", .boolean(true)), StructuredParameter("key", .string("k"))]),
            ])
        #expect(input.created == 1_618_884_473)
        #expect(input.expires == 1_618_884_488)
        #expect(input.nonce == "n")
        #expect(input.algorithm == "ecdsa-p256-sha256")
        #expect(input.keyID == "me")
        #expect(input.tag == "t")
        #expect(input.parameters.last == StructuredParameter("other", .token("tok")))
        #expect(input.isCanonical)
        #expect(field["Install"] == nil)
        #expect(field["proxy"]?.components.isEmpty == true)
        #expect(try field.write() == Array(text.utf8))
    }

    static let refused = [
        Rejection(#"a=("x"), a=("y")"#, .duplicateKey, 9, "a label comes once"),
        Rejection(#"a=("x" "x")"#, .duplicateKey, 7, "a component is covered once"),
        Rejection(#"a=("x";sf;tr "x";tr;sf)"#, .duplicateKey, 13, "in whatever order its parameters are"),
        Rejection(#"a=("x";sf;sf)"#, .duplicateKey, 10, "a parameter of a component comes once"),
        Rejection(#"a=("x");created=1;created=2"#, .duplicateKey, 18, "a parameter comes once"),
        Rejection(#"a=(x)"#, .unexpectedType, 3, "components are Strings"),
        Rejection(#"a=("x" 1)"#, .unexpectedType, 7, "components are Strings"),
        Rejection(#"a="x""#, .unexpectedType, 0, "components stand in an Inner List"),
        Rejection(#"a"#, .unexpectedType, 0, "a label alone covers nothing"),
        Rejection(#"a=("x");created="1""#, .unexpectedType, 8, "created is an Integer"),
        Rejection(#"a=("x");created=1.0"#, .unexpectedType, 8, "created has no fraction"),
        Rejection(#"a=("x");created=@1"#, .unexpectedType, 8, "created is no Date"),
        Rejection(#"a=("x");expires"#, .unexpectedType, 8, "expires has a value"),
        Rejection(#"a=("x");alg=hmac-sha256"#, .unexpectedType, 8, "alg is a String"),
        Rejection(#"a=("x");keyid=:AAAA:"#, .unexpectedType, 8, "keyid is a String"),
        Rejection(#"a=("x");nonce=1"#, .unexpectedType, 8, "nonce is a String"),
        Rejection(#"a=("x");tag=?0"#, .unexpectedType, 8, "tag is a String"),
        Rejection(#"a=("x""#, .truncated, 6, "parentheses close"),
    ]

    @Test("Ambiguous or malformed fields are refused with the byte offset", arguments: refused)
    func refusal(_ rejection: Rejection) {
        let error = decodeError { _ = try Self.field(rejection.input) }
        #expect(rejection.matches(error), "\(error.map { "\($0.code) \($0)" } ?? "accepted")")
    }

    @Test("64 components are accepted, 65 are refused")
    func limit() throws {
        func text(_ count: Int) -> String { "a=(" + (0..<count).map { "\"x\($0)\"" }.joined(separator: " ") + ")" }
        #expect(try Self.field(text(64))["a"]?.components.count == 64)
        #expect(decodeError { _ = try Self.field(text(65)) }?.reason == .tooLarge)
    }

    @Test("8 parameters of a component are taken, and one more is refused before components are compared")
    func parameterLimit() throws {
        func text(_ count: Int) -> String {
            let parameters = (0..<count).map { ";p\($0)" }.joined()
            return "a=(" + (0..<64).map { "\"x\"\(parameters.dropLast())z\($0)" }.joined(separator: " ") + ")"
        }
        #expect(try Self.field(text(8))["a"]?.components.count == 64)
        #expect(decodeError { _ = try Self.field(text(9)) }?.reason == .tooLarge)
    }

    @Test("Components differ by name and parameters, not by the order of parameters")
    func identity() throws {
        func component(_ text: String) throws -> SignatureComponent {
            try SignatureComponent(StructuredFieldReader.readItem(Array(text.utf8)[...]))
        }
        #expect(try component(#""x";sf;req"#) == component(#""x";req;sf"#))
        #expect(try component(#""x";sf;req"#).hashValue == component(#""x";req;sf"#).hashValue)
        #expect(try component(#""x""#) != component(#""x";sf"#))
        #expect(try component(#""x";key="a""#) != component(#""x";key="b""#))
        #expect(try component(#""x";req"#) != component(#""x";tr"#))
        #expect(try component(#""x""#) != component(#""X""#))
    }

    @Test("Values that are made in code are checked by the same rules, and serialized")
    func making() throws {
        let input = try SignatureInput(
            label: "account", components: [SignatureComponent("@method")],
            parameters: [
                StructuredParameter("created", .integer(7)), StructuredParameter("alg", .string("hmac-sha256")),
            ])
        #expect(input.created == 7)
        #expect(
            try SignatureInputField([input]).write()
                == Array(#"account=("@method");created=7;alg="hmac-sha256""#.utf8))
        #expect(throws: DecodeError.self) {
            try SignatureInput(
                label: "a", components: [SignatureComponent("x"), SignatureComponent("x")], parameters: [])
        }
        #expect(throws: DecodeError.self) {
            try SignatureInput(label: "a", components: [], parameters: [StructuredParameter("created", .string("7"))])
        }
        let badLabel = try SignatureInput(label: "A", components: [], parameters: [])
        #expect(throws: SerialisationError.self) { try SignatureInputField([badLabel]).write() }
    }
}

@Suite("HTTP signatures: the signatures") struct SignatureFieldTests {
    @Test("Signatures are Byte Sequences, and Strings of base64 only where that is allowed")
    func forms() throws {
        let bytes = Array("install=:AAEC:, account=\"AwQF\"".utf8)
        #expect(decodeError { _ = try SignatureField(bytes[...]) }?.offset == 24)
        let field = try SignatureField(bytes[...], form: .byteSequenceOrString)
        #expect(field["install"] == [0, 1, 2])
        #expect(field["account"] == [3, 4, 5])
        #expect(field["other"] == nil)
        #expect(try field.write() == Array("install=:AAEC:, account=:AwQF:".utf8))
    }

    static let refused = [
        Rejection("a=:AA==:, a=:AQ==:", .duplicateKey, 10, "a label comes once"),
        Rejection("a=AAEC", .unexpectedType, 2, "no Tokens"),
        Rejection("a", .unexpectedType, 0, "no flags"),
        Rejection("a=(:AA==:)", .unexpectedType, 0, "no Inner Lists"),
        Rejection("a=\"AA\"", .unexpectedLength, 5, "padding is there in Strings too"),
        Rejection("a=\"AB==\"", .notMinimal, 4, "no stray bits in Strings either"),
        Rejection("a=\"A\\\\A=\"", .invalidText, 4, "no escapes in base64"),
    ]

    @Test("Malformed signatures are refused with the byte offset, also where Strings are allowed", arguments: refused)
    func refusal(_ rejection: Rejection) {
        let error = decodeError {
            _ = try SignatureField(Array(rejection.input.utf8)[...], form: .byteSequenceOrString)
        }
        #expect(rejection.matches(error), "\(error.map { "\($0.code) \($0)" } ?? "accepted")")
    }
}
