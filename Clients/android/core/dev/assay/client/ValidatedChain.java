package dev.assay.client;

import java.lang.reflect.InvocationTargetException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The chain from a server's certificate to an authority that the system trusts. What a server presents besides proves nothing: whoever has
 * a certificate of any authority can present those of others with it.
 */
final class ValidatedChain {
    private ValidatedChain() {}

    static X509ExtendedTrustManager system() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        for (TrustManager each : factory.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager) return (X509ExtendedTrustManager) each;
        }
        throw new CertificateException("the system has no trust manager");
    }

    /** @param authType the key exchange, as trust managers get it */
    static List<? extends Certificate> of(X509Certificate[] presented, String authType, String host) throws CertificateException {
        try {
            return UrlConnectionTransport.isAndroid ? android(presented, authType, host) : path(presented);
        } catch (CertificateException error) {
            throw error;
        } catch (GeneralSecurityException | ReflectiveOperationException error) {
            throw new CertificateException("the chain cannot be validated: " + error.getClass().getSimpleName(), error);
        }
    }

    /** Android's own class for that, which also knows the app's network security configuration. */
    private static List<? extends Certificate> android(X509Certificate[] presented, String authType, String host)
        throws GeneralSecurityException, ReflectiveOperationException {
        Class<?> type = Class.forName("android.net.http.X509TrustManagerExtensions");
        Object extensions = type.getConstructor(javax.net.ssl.X509TrustManager.class).newInstance(system());
        List<Certificate> chain = new ArrayList<>();
        try {
            Object result = type.getMethod("checkServerTrusted", X509Certificate[].class, String.class, String.class)
                .invoke(extensions, presented, authType, host);
            for (Object each : (List<?>) result) chain.add((Certificate) each);
        } catch (InvocationTargetException error) {
            if (error.getCause() instanceof CertificateException) throw (CertificateException) error.getCause();
            throw error;
        }
        return chain;
    }

    private static List<? extends Certificate> path(X509Certificate[] presented) throws GeneralSecurityException {
        Set<TrustAnchor> anchors = new HashSet<>();
        List<X509Certificate> all = new ArrayList<>();
        for (X509Certificate each : system().getAcceptedIssuers()) anchors.add(new TrustAnchor(each, null));
        for (X509Certificate each : presented) all.add(each);
        X509CertSelector leaf = new X509CertSelector();
        leaf.setCertificate(presented[0]);
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, leaf);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(all)));
        // The handshake has done what the system does about revocation.
        parameters.setRevocationEnabled(false);
        PKIXCertPathBuilderResult result = (PKIXCertPathBuilderResult) CertPathBuilder.getInstance("PKIX").build(parameters);
        List<Certificate> chain = new ArrayList<>(result.getCertPath().getCertificates());
        chain.add(result.getTrustAnchor().getTrustedCert());
        return chain;
    }
}
