package dev.assay.client;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.ArrayList;
import java.util.List;

/** Writes signed requests for {@code Clients/verify_requests.py}, which verifies them without the kit and without Assay. */
public final class RequestFile {
    private RequestFile() {}

    public static void main(String[] arguments) throws Exception {
        KeyPairGenerator ec = KeyPairGenerator.getInstance("EC");
        ec.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
        rsa.initialize(2048);
        StringBuilder lines = new StringBuilder();
        String[][] requests = {{"POST", "https://api.example.com/v1/orders?id=7", "{\"amount\":42}"}, {"GET", "https://API.example.com", ""},
            {"PUT", "https://api.example.com:443/a%20b//c;d?x=%C3%A9&y#f", "é"}, {"DELETE", "https://api.example.com:8443/v1/", ""}};
        for (KeyPair key : new KeyPair[] {ec.generateKeyPair(), ec.generateKeyPair(), rsa.generateKeyPair()}) {
            for (String[] request : requests) {
                byte[] body = request[2].getBytes(StandardCharsets.UTF_8);
                String digest = body.length == 0 ? null : MessageBody.bytes(body).digest();
                RequestSignature order = new RequestSignature("assay", request[0], TargetUri.of(request[1]), digest);
                String parameters = order.keyParameters(1789992000, Bytes.nonce(), key.getPublic());
                Signature signer = Signature.getInstance("SHA256with" + (key.getPublic().getAlgorithm().equals("EC") ? "ECDSA" : "RSA"));
                signer.initSign(key.getPrivate());
                signer.update(order.base(parameters));
                List<Object> fields = new ArrayList<>();
                order.fields(parameters, RequestSignature.value(key.getPublic(), signer.sign()))
                    .forEach((name, value) -> fields.add(new ArrayList<Object>(List.of(name, value))));
                lines.append(Json.write(Json.of("method", request[0], "url", order.targetUri(), "fields", fields,
                    "body", Bytes.base64(body), "key", Bytes.base64(key.getPublic().getEncoded())))).append('\n');
            }
        }
        Files.writeString(Path.of(arguments[0], "android.ndjson"), lines);
        Check.that(lines.length() > 0, "requests");
        Check.done("requests for an independent verifier");
    }
}
