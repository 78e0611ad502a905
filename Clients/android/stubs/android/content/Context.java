package android.content;

import android.content.pm.PackageManager;

public class Context {
    public PackageManager packages = new PackageManager();

    public PackageManager getPackageManager() {
        return packages;
    }
}
