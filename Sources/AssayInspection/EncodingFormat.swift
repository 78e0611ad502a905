/// A format that only encodes bytes, such as base64. Its contents are shown even if no format recognises them.
package protocol EncodingFormat: BlobFormat {}
