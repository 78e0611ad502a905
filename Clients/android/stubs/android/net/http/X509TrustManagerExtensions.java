package android.net.http;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/** The part that the kit uses. Here it returns what a test has set. */
public class X509TrustManagerExtensions {
    public static List<X509Certificate> validated;
    public static String host;

    public X509TrustManagerExtensions(X509TrustManager tm) {
        if (tm == null) throw new IllegalArgumentException();
    }

    public List<X509Certificate> checkServerTrusted(X509Certificate[] chain, String authType, String name) throws CertificateException {
        host = name;
        if (validated == null) throw new CertificateException("not trusted");
        return validated;
    }
}
