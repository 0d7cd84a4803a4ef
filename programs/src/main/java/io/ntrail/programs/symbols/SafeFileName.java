package io.ntrail.programs.symbols;

import io.ntrail.formats.identity.WindowsPath;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names of files as images and recordings spell them. Whoever made those may have written anything
 * there, so that a name is used only if it is one on every system and can lead nowhere else.
 */
final class SafeFileName {
  /** File systems have room for 255 bytes; the rest is for the suffixes of unfinished copies. */
  static final int MOST_BYTES = 200;

  private static final Pattern DRIVE = Pattern.compile("^[A-Za-z]:");

  /** Windows opens a device under these names, whatever the ending and the folder. */
  private static final Pattern DEVICE =
      Pattern.compile("(?i)(con|prn|aux|nul|conin\\$|conout\\$|(com|lpt)[0-9¹²³]) *(\\..*)?");

  private static final Pattern KIND = Pattern.compile("[A-Za-z0-9]{1,8}");

  private SafeFileName() {}

  /** Returns the last part of a path; empty if that is not a file name. */
  static Optional<String> of(String path) {
    String name = DRIVE.matcher(WindowsPath.lastPart(path)).replaceFirst("");
    return isUsable(name) ? Optional.of(name) : Optional.empty();
  }

  /** Returns true if it is the name of a file in a folder, and nothing else on any system. */
  static boolean isUsable(String name) {
    return !name.isBlank()
        && !name.endsWith(".")
        && !name.endsWith(" ")
        && name.chars().noneMatch(c -> c < ' ' || c == 0x7F || "\\/:*?\"<>|".indexOf(c) >= 0)
        && StandardCharsets.UTF_8.newEncoder().canEncode(name)
        && name.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES
        && !DEVICE.matcher(name).matches();
  }

  /**
   * Returns the name of the compressed form of a file: {@code foo.pd_}, the last character
   * replaced. (A character of two units is replaced as a whole.)
   */
  static String packed(String name) {
    return name.substring(0, name.offsetByCodePoints(name.length(), -1)) + "_";
  }

  /** Returns true if a path ends like those of compressed files. */
  static boolean isPacked(String path) {
    return path.endsWith("_");
  }

  /** Returns {@code dll} of {@code foo.DLL}; empty if there is no extension, or a strange one. */
  static Optional<String> kind(String name) {
    int dot = name.lastIndexOf('.');
    return Optional.of(name.substring(dot + 1).toLowerCase(Locale.ROOT))
        .filter(kind -> dot >= 0 && KIND.matcher(kind).matches());
  }
}
