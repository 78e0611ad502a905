package android.content.pm;

public class PackageManager {
    public static final String FEATURE_STRONGBOX_KEYSTORE = "android.hardware.strongbox_keystore";
    public boolean hasStrongBox;

    public boolean hasSystemFeature(String name) {
        return name.equals(FEATURE_STRONGBOX_KEYSTORE) && hasStrongBox;
    }
}
