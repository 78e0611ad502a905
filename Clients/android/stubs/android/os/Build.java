package android.os;

public class Build {
    public static class VERSION {
        // Not final, so that tests are systems of every age.
        public static int SDK_INT = 34;
    }
}
