final class LockNames {
    static final String NIGHTLY = "nightly:lock";
}
