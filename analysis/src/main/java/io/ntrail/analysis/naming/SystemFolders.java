package io.ntrail.analysis.naming;

import java.util.Locale;
import java.util.regex.Pattern;

/** The folders that Windows and .NET are installed in. */
final class SystemFolders {
  /**
   * Root of a volume, in each of the notations of recordings: {@code C:\}, {@code \??\C:\}, {@code
   * \Device\HarddiskVolume2\}, {@code \}.
   */
  private static final String ROOT =
      "(?:\\\\\\?\\?\\\\|\\\\\\\\\\?\\\\)?(?:[a-z]:|\\\\device\\\\[^\\\\]+)?\\\\";

  private static final Pattern SYSTEM =
      Pattern.compile(
          "\\\\systemroot\\\\.*|%systemroot%\\\\.*|%windir%\\\\.*|"
              + ROOT
              + "(?:windows|winnt|program files(?: \\(x86\\)| \\(arm\\))?\\\\dotnet)\\\\.*",
          Pattern.DOTALL);

  private SystemFolders() {}

  /** Returns whether a file lies in one of them, or in a folder of theirs. */
  static boolean contain(String path) {
    return SYSTEM.matcher(path.toLowerCase(Locale.ROOT)).matches();
  }
}
