package io.ntrail.live.windows;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Local folders of the drives of a target's system, learned from paths that it translated. Asking
 * it takes some milliseconds, for which a thread of the program may wait.
 */
final class DriveRoots {
  /** Length of {@code C:\}. */
  private static final int PREFIX = 3;

  /** Prefix of paths that the system takes as they are, as Node.js gives them. */
  private static final String VERBATIM = "\\\\?\\";

  private final Map<Character, String> roots = new ConcurrentHashMap<>();

  /**
   * Learns where a drive is, if that can be seen.
   *
   * @param whole its path on the target's system
   * @param here the same file on this machine
   */
  void learn(String whole, Path here) {
    String path = plain(whole);
    String local = here.toString();
    if (isOnDrive(path) && local.endsWith("/" + rest(path))) {
      roots.put(letter(path), local.substring(0, local.length() - rest(path).length()));
    }
  }

  /**
   * Returns the local file of a path, if its drive is known and the file is there under exactly
   * this name: the target's system prefers that to names that differ in case.
   */
  Optional<Path> find(String whole) {
    String path = plain(whole);
    if (!isOnDrive(path) || !roots.containsKey(letter(path))) {
      return Optional.empty();
    }
    try {
      return Optional.of(Path.of(roots.get(letter(path)) + rest(path)))
          .filter(Files::isRegularFile);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  private static String plain(String path) {
    return path.startsWith(VERBATIM) ? path.substring(VERBATIM.length()) : path;
  }

  private static char letter(String path) {
    return Character.toUpperCase(path.charAt(0));
  }

  private static String rest(String path) {
    return path.substring(PREFIX).replace('\\', '/');
  }

  /** Returns true for a path on a drive whose parts are names that the system does not change. */
  private static boolean isOnDrive(String path) {
    return path.length() > PREFIX
        && Character.isLetter(path.charAt(0))
        && path.startsWith(":\\", 1)
        && List.of(path.substring(PREFIX).split("\\\\", -1)).stream().allMatch(DriveRoots::isName);
  }

  private static boolean isName(String part) {
    return !part.isEmpty()
        && !part.endsWith(".")
        && !part.endsWith(" ")
        && part.chars().noneMatch(letter -> letter == '/' || letter == ':' || letter == 0);
  }
}
