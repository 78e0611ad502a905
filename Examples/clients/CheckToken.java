// Checks bearer tokens of Assay in a backend, with Nimbus (com.nimbusds:nimbus-jose-jwt) and nothing of Assay; see check_token.py. It
// refuses tokens that are bound to a key (cnf), as check_token.go does.
//
//     java -cp nimbus-jose-jwt.jar CheckToken.java ISSUER AUDIENCE APP [SERVICE] <requests
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Scanner;
import java.util.Set;
import java.util.regex.Pattern;

class CheckToken {
  static JWKSet keys = new JWKSet();
  static long fetched = System.nanoTime() - 600_000_000_000L, loaded = fetched;

  /** The keys of the issuer, fetched again after ten minutes, and for an unknown key after half a minute. */
  static JWKSource<SecurityContext> source(URL url) {
    double cooldown = Double.parseDouble(System.getenv().getOrDefault("ASSAY_COOLDOWN", "30"));
    return (selector, context) -> {
      double age = (System.nanoTime() - fetched) / 1e9;
      if (age >= 600 || selector.select(keys).isEmpty() && age >= cooldown) {
        fetched = System.nanoTime();
        try {
          keys = JWKSet.load(url, 10_000, 10_000, 100_000);
          loaded = fetched;
        } catch (IOException | java.text.ParseException error) { // The last keys count in an outage, for 20 minutes.
          System.err.println("no keys: " + error);
        }
      }
      return selector.select(System.nanoTime() - loaded < 1_200_000_000_000L ? keys : new JWKSet());
    };
  }

  static String field(String metadata, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(metadata.replace("\\/", "/"));
    return found.find() ? found.group(1) : "";
  }

  public static void main(String[] arguments) throws Exception {
    String issuer = arguments[0], service = arguments.length > 3 ? arguments[3] : issuer;
    var request = HttpRequest.newBuilder(URI.create(service + "/.well-known/openid-configuration")).build();
    var metadata = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    if (!field(metadata, "issuer").equals(issuer)) throw new IOException("no metadata of " + issuer + ": " + metadata);
    var processor = new DefaultJWTProcessor<SecurityContext>();
    var url = new URL(field(metadata, "jwks_uri").replace(issuer, service));
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("assay+jwt")));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, source(url)));
    var expected = new JWTClaimsSet.Builder().issuer(issuer).audience(arguments[1]).build();
    var verifier = new DefaultJWTClaimsVerifier<SecurityContext>(expected, Set.of("iss", "aud", "exp", "iat", "jti"));
    verifier.setMaxClockSkew(0);
    processor.setJWTClaimsSetVerifier(verifier);
    for (var input = new Scanner(System.in); input.hasNextLine(); ) {
      try {
        var claims = processor.process(input.nextLine().split(" ")[2], null);
        if (!arguments[2].equals(claims.getClaim("app"))) throw new BadJOSEException("another app");
        var env = claims.getClaim("env");
        if (env != null && (System.getenv("ASSAY_TEST_TOKENS") == null || !Set.of("test", "development").contains(env)))
          throw new BadJOSEException("the token rests on no genuine device");
        if (claims.getClaim("use") != null) throw new BadJOSEException("the token is for one use, which needs a memory that all processes share");
        if (claims.getClaim("cnf") != null) throw new BadJOSEException("the token is bound to a key, and its proof is not checked here");
        System.out.println("accepted " + claims);
      } catch (Exception error) {
        System.out.println("refused " + error.getMessage());
      }
    }
  }
}
