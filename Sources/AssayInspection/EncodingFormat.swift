/// A format that is nothing but another way to write bytes, such as base64: what is inside is shown even when nobody knows
/// what it is.
package protocol EncodingFormat: BlobFormat {}
