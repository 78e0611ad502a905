/// A format that only encodes bytes, such as base64: its contents are shown even when no format recognises
/// what it is.
package protocol EncodingFormat: BlobFormat {}
