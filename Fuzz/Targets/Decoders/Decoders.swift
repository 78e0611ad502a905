import AssayPrimitives

extension FuzzTarget {
    /// Decoders of bytes: whatever comes in, they answer with a value or an error.
    static let decoders: [FuzzTarget] = [json]

    static let json = FuzzTarget(
        name: "json", maximumLength: 512, dictionary: ["{", "}", "\\u0000", "1e400", "null"],
        seeds: { [Array(#"{"a":[1,-2.5e3,"\u00e9\n",true,null]}"#.utf8)] },
        run: { input in
            do { _ = try JSONReader.read(input, limit: 1 << 16) } catch {}
        })
}
