package io.ntrail.formats.identity;

/** Paths as files of other machines write them: both kinds of slashes separate. */
public final class WindowsPath {
  private WindowsPath() {}

  /** Returns the part after the last separator; the whole path if it has none. */
  public static String lastPart(String path) {
    return path.substring(1 + Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')));
  }
}
