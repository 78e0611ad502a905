package dev.assay.client;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What goes over the wire, byte for byte. */
public final class BytesTests {
    private BytesTests() {}

    public static void main(String[] arguments) throws Exception {
        documented(Files.readString(Path.of(arguments[0])));
        Check.done("requests as SigningRequests.md has them");
        signatures();
        Check.done("ECDSA signatures");
        urls();
        Check.done("URLs");
        bodies();
        Check.done("bodies");
        json();
        Check.done("JSON");
        fields();
        Check.done("devices without evidence");
        answers();
        Check.done("answers of the backend");
    }

    /** The requests in the documentation: base, parameters and fields of the key and of Play Integrity. */
    private static void documented(String page) throws Exception {
        MessageBody body = MessageBody.bytes("{\"amount\":42}".getBytes(StandardCharsets.UTF_8));
        RequestSignature order = new RequestSignature("assay", "POST", TargetUri.of("https://api.example.com/v1/orders?id=7"),
            body.digest());
        Matcher info = Pattern.compile("SubjectPublicKeyInfo\\s+`([A-Za-z0-9+/=]+)`").matcher(page);
        Check.that(info.find(), "the page has a public key");
        PublicKey key = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(info.group(1))));
        Map<String, String> fields = block(page, "tag=\"android-key\"\nSignature: ");
        String parameters = order.keyParameters(1789992000, "hk2TsJwTkmw", key);
        Check.equal("assay=" + parameters, fields.get("Signature-Input"), "the parameters of an Android key");
        byte[] signature = Base64.getDecoder().decode(fields.get("Signature").replaceAll("^assay=:|:$", ""));
        Check.equal(fields, order.fields(parameters, signature), "the fields of an Android key");
        Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
        verifier.initVerify(key);
        verifier.update(order.base(parameters));
        Check.that(verifier.verify(signature), "the documented signature is over the base that the kit signs");

        RequestSignature post = new RequestSignature("assay", "POST", TargetUri.of("https://api.example.com/v1/orders?id=post"),
            body.digest());
        String integrity = post.integrityParameters(1789992000, null);
        Check.that(page.contains("\n" + new String(post.base(integrity), StandardCharsets.UTF_8) + "\n"), "the base for Play Integrity");
        Check.that(page.contains("`" + Bytes.base64url(Bytes.sha256(post.base(integrity))) + "`, as `requestHash`"), "requestHash");
        Map<String, String> play = block(page, "tag=\"play-integrity\"\nSignature: ");
        String token = new String(Base64.getDecoder().decode(play.get("Signature").replaceAll("^assay=:|:$", "")),
            StandardCharsets.US_ASCII);
        Check.equal(play, post.fields(integrity, Bytes.utf8(token)), "the fields of Play Integrity");

        RequestSignature get = new RequestSignature("assay", "GET", TargetUri.of("https://api.example.com"), null);
        Check.equal("(\"@method\" \"@target-uri\");created=1;nonce=\"n\";tag=\"play-integrity\"", get.integrityParameters(1, "n"),
            "no body, no digest");
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        KeyPair pair = rsa.generateKeyPair();
        Check.that(get.keyParameters(1, "n", pair.getPublic()).contains(";alg=\"rsa-v1_5-sha256\";tag=\"android-key\""),
            "alg of an RSA key");
        Check.that(Arrays.equals(Check.bytes(1, 2), RequestSignature.value(pair.getPublic(), Check.bytes(1, 2))),
            "RSA signatures as they are");
        KeyPairGenerator other = KeyPairGenerator.getInstance("EC");
        other.initialize(384);
        Check.error(AssayClientException.Code.KEYSTORE, () -> get.keyParameters(1, "n", other.generateKeyPair().getPublic()), "only P-256");
        Check.error(AssayClientException.Code.BAD_REQUEST, () -> new RequestSignature("assay", "post", TargetUri.of("https://a.example"),
            null),
            "a method in lower case");
    }

    /** The fields of the example that has the text. */
    private static Map<String, String> block(String page, String text) {
        int at = page.indexOf(text);
        Check.that(at > 0, "the page has " + text);
        int start = page.lastIndexOf("```text\n", at) + 8;
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : page.substring(start, page.indexOf("\n```", at)).split("\n")) {
            fields.put(line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2));
        }
        return fields;
    }

    private static void signatures() throws Exception {
        KeyPair pair = Attester.pair();
        Signature plain = Signature.getInstance("SHA256withECDSA");
        Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
        int shortNumbers = 0;
        for (int i = 0; i < 600; i++) {
            plain.initSign(pair.getPrivate());
            plain.update((byte) i);
            byte[] der = plain.sign();
            byte[] fixed = EcdsaSignature.fixed(der);
            verifier.initVerify(pair.getPublic());
            verifier.update((byte) i);
            Check.that(fixed.length == 64 && verifier.verify(fixed), "r and s, 32 bytes each");
            if (fixed[0] == 0 || fixed[32] == 0) shortNumbers++;
        }
        Check.that(shortNumbers > 0, "leading zeros were among them");
        byte[] small = Check.bytes(0x30, 6, 2, 1, 1, 2, 1, 127);
        byte[] expected = new byte[64];
        expected[31] = 1;
        expected[63] = 127;
        Check.that(Arrays.equals(expected, EcdsaSignature.fixed(small)), "numbers of one byte");
        byte[][] wrong = {new byte[0], Check.bytes(0x30, 6, 2, 1, 0x81, 2, 1, 1), Check.bytes(0x30, 6, 2, 1, 0, 2, 1, 1),
            Check.bytes(0x30, 7, 2, 1, 1, 2, 1, 1), Check.bytes(0x30, 7, 2, 1, 1, 2, 1, 1, 0), Check.bytes(0x31, 6, 2, 1, 1, 2, 1, 1),
            Check.bytes(0x30, 6, 2, 4, 1, 2, 1, 1), Check.bytes(0x30, 6, 2, 1, 1, 3, 1, 1), new byte[64]};
        for (byte[] der : wrong) Check.error(AssayClientException.Code.KEYSTORE, () -> EcdsaSignature.fixed(der), "no signature in DER");
    }

    private static void urls() throws Exception {
        String[][] table = {
            {"https://API.Example.COM", "https://api.example.com/"}, {"HTTPS://a.example:443/x", "https://a.example/x"},
            {"http://localhost:80?q=1", "http://localhost/?q=1"}, {"http://[::1]:8080", "http://[::1]:8080/"},
            {"http://127.0.0.1:9/x", "http://127.0.0.1:9/x"}, {"https://a.example:8443/x#part", "https://a.example:8443/x"},
            {"https://a.example/a/../b/./c", "https://a.example/b/c"}, {"https://a.example/a/%2e%2E/b", "https://a.example/b"},
            {"https://a.example/a/..", "https://a.example/"}, {"https://a.example/a%2Fb?x=%20+", "https://a.example/a%2Fb?x=%20+"},
            {"https://a.example/ä b?ü='", "https://a.example/%C3%A4%20b?%C3%BC=%27"}, {"https://a.example/x?", "https://a.example/x?"},
            {"https://münchen.example/", "https://xn--mnchen-3ya.example/"}, {"https://[2001:DB8::1]:443/", "https://[2001:db8::1]/"},
            {"https://a.example//x//", "https://a.example//x//"}};
        for (String[] row : table) Check.equal(row[1], TargetUri.of(row[0]).toString(), row[0]);
        Check.equal("https://a.example:8443", TargetUri.of("https://A.example:8443/x?y").origin(), "an origin");
        Check.equal("https://a.example/x", TargetUri.of("https://a.example/x?y").withoutQuery(), "htu");
        for (String url : new String[] {"", "/x", "ftp://a.example", "https://", "https://u@a.example/", "https://a.example:0/",
            "https://a.example:x/", "https://a b.example/", "https://a.example/\n", "https:a.example", "http://a.example/",
            "http://127.0.0.1.example/", "http://localhost.example", "http://10.0.2.2/", "http://0.0.0.0/"}) {
            Check.error(AssayClientException.Code.BAD_REQUEST, () -> TargetUri.of(url), "no URL to sign: " + url);
        }
    }

    private static void bodies() throws Exception {
        byte[] large = new byte[300_000];
        Arrays.fill(large, (byte) 7);
        File file = File.createTempFile("assay", ".body");
        Files.write(file.toPath(), large);
        Check.equal(MessageBody.bytes(large).digest(), MessageBody.file(file).digest(), "a file has the digest of its bytes");
        Check.equal(null, MessageBody.bytes(new byte[0]).digest(), "an empty body has no digest");
        Check.that(file.delete(), "the file is there");
        Check.error(AssayClientException.Code.BAD_REQUEST, () -> MessageBody.file(file).digest(), "a file that is missing");
        MessageBody wrong = new MessageBody() {
            @Override public long length() { return 4; }
            @Override public InputStream open() { return new ByteArrayInputStream(Check.bytes(1, 2, 3)); }
        };
        Check.error(AssayClientException.Code.BAD_REQUEST, wrong::digest, "a stream with another length");
    }

    private static void json() throws Exception {
        String text = "{\"a\":[1,-2.5,true,false,null,\"\\u00e4\\n\\ud83d\\ude00\"],\"b\":{\"c\":{}},\"d\":[]}";
        Object value = Json.parse(text);
        Check.equal(value, Json.parse(Json.write(value)), "what was written is read again");
        String deep = "[".repeat(40) + "]".repeat(40);
        for (String bad : new String[] {"", "{", "{\"a\":1,}", "[1,]", "{\"a\":1,\"a\":2}", "01", "1.", "nul", "\"\\x\"", "\"\\ud800\"",
            "\"\n\"", "1 2",
            "{a:1}", "'a'", "\"", deep, "+1", "[1 2]", "{\"a\" 1}", "\"\\u12g4\"", "-", "1\0", "[1\0]", "{,}", "[,1]", "{\"a\":1 \"b\":2}",
                "\"\\u12\""}) { Check.fails(Json.Malformed.class, () -> Json.parse(bad), "malformed: " + bad); }
        Check.fails(Json.Malformed.class, () -> Json.parse(Check.bytes('"', 0xff, '"')), "no UTF-8");
        Check.fails(Json.Malformed.class, () -> Json.object(Bytes.utf8("[1]")), "no object");
    }

    private static void fields() {
        Check.equal(Map.of("Assay-Evidence", "none;reason=unsupported;code=\"keystore:16\";app-version=\"5.1.0\";system-version=\"16\""),
            NoEvidence.fields("unsupported", "keystore:16", "5.1.0", "16"), "the field");
        Check.equal(Map.of("Assay-Evidence", "none;reason=failed;code=\"a_b\";app-version=\"\\\"1\\\\_\""),
            NoEvidence.fields("failed", "a b", "\"1\\ä", ""), "characters that the field cannot have");
    }

    private static Backend.Reply reply(int status, String type, String body, String... fields) {
        Map<String, String> map = new LinkedHashMap<>();
        if (type != null) map.put("content-type", type);
        for (int i = 0; i < fields.length; i += 2) map.put(fields[i], fields[i + 1]);
        return Backend.reply(new HttpTransport.Answer(status, map, body == null ? null : Bytes.utf8(body)));
    }

    private static void answers() {
        String json = "application/json";
        Check.equal(Map.of("outcome", "accept"), reply(200, json + "; charset=utf-8", "{\"outcome\":\"accept\"}").result, "a verdict");
        Check.equal("new-attestation", reply(200, json, "{\"outcome\":\"reject\",\"remedy\":\"new-attestation\"}").remedy, "a rejection");
        Check.equal("contact-support", reply(200, json, "{\"outcome\":\"reject\"}").remedy, "a rejection without a remedy");
        Check.equal("contact-support", reply(200, json, "{\"outcome\":\"reject\",\"remedy\":\"dance\"}").remedy,
            "a remedy of a later server");
        Check.equal("contact-support", Backend.remedy(new HttpTransport.Answer(401, Map.of("assay-remedy", "dance"), new byte[0])),
            "also to a request");
        for (int status : new int[] {302, 429, 503, 500, 401, 403}) {
            Check.equal("cancel", Backend.verdict(new HttpTransport.Answer(status, Map.of(), new byte[0]), null, "r").name,
                "an answer without a remedy is the app's");
        }
        Check.equal("retry", reply(401, "application/problem+json", "{\"remedy\":\"retry\"}").remedy, "a rejection by 401");
        Object[][] table = {
            {reply(200, "text/html", "<html>"), "answer", "not-json", false},
            {reply(200, json, "{\"outcome\":\"acc"), "answer", "cut", true},
            {reply(200, json, null), "answer", "too-long", true}, {reply(302, null, ""), "answer", "redirect", false},
            {reply(200, json, "{\"type\":\"about:blank\",\"status\":500,\"code\":\"outage\"}"), "answer", "outage", false},
            {reply(200, json, "[]"), "answer", "cut", true}, {reply(429, json, "{\"code\":\"challenge-limit\"}"), "limited",
            "challenge-limit", false},
            {reply(503, "text/html", "<html>"), "unavailable", "http:503", false}, {reply(502, null, ""), "unavailable", "http:502", true},
            {reply(404, json, "{}"), "configuration", "http:404", false},
            {reply(422, json, "{\"code\":\"unknown-app\"}"), "configuration", "unknown-app", false},
            {reply(401, json, "{}"), "configuration", "http:401", false}};
        for (Object[] row : table) {
            Backend.Reply reply = (Backend.Reply) row[0];
            Check.equal(row[1], reply.cause, "the cause");
            Check.equal(row[2], reply.code, "the code");
            Check.equal(row[3], reply.sent, "whether the server may have judged it: " + reply.code);
        }
        String date = "Fri, 27 Nov 2026 02:00:00 GMT";
        Backend.Reply wait = reply(429, null, "", "retry-after", "Fri, 27 Nov 2026 02:00:07 GMT", "date", date);
        Check.equal(7L, wait.retryAfter, "Retry-After as a date");
        Check.equal(30L, reply(503, null, "", "retry-after", "30").retryAfter, "Retry-After in seconds");
        Check.equal(86400L, reply(503, null, "", "retry-after", "999999999").retryAfter, "Retry-After of years");
        Check.equal(null, reply(503, null, "", "retry-after", "soon").retryAfter, "Retry-After of neither");
        Check.equal(null, reply(200, "text/html", "<html>", "date", date).date, "a page of a captive portal is no clock");
        Check.equal(300L, Backend.life(Map.of("expiresAt", "2026-11-27T02:05:00.250Z"), wait.date, 0), "the life of a challenge");
        Check.equal(300L, Backend.life(Map.of("expiresAt", "2026-11-27T04:05:00+02:00"), wait.date, 0), "by another offset");
        Check.equal(300L, Fields.of("token", Json.of("expiresIn", 300.0)).number("expiresIn"), "seconds with a point");
        Backend backend = new Backend(null, null);
        for (String[] row : new String[][] {{"abc~!:/+=", "abc~!:/+="}, {"", null}, {"a b", null}, {"a\\\"", null}, {"\u00e4", null},
            {"x".repeat(512), "x".repeat(512)}, {"x".repeat(513), null},
            // What may be SHA-256: evidence over it would be evidence for a token of another key.
            {"x".repeat(32), null}, {"x".repeat(43), null}, {"x".repeat(43) + "=", null}, {"x".repeat(44), "x".repeat(44)}}) {
            Backend.Reply reply = new Backend.Reply();
            reply.result = Json.of("challenge", row[0]);
            Check.equal(row[1], backend.challenge(reply), "challenges are visible ASCII");
        }
        Check.equal(0L, Backend.life(Map.of("expiresAt", "tomorrow"), wait.date, 0), "an end that is no time");
    }
}
