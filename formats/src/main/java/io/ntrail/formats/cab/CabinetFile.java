package io.ntrail.formats.cab;

import java.time.LocalDateTime;
import java.util.Optional;

/**
 * A file as a cabinet tells of it.
 *
 * @param name as it stands there, often with a path; never use it as one, see {@link #baseName}
 * @param size in bytes, unpacked; below 4 GiB
 * @param modified local time of whoever packed it, to two seconds; empty if it is no date
 * @param attributes of DOS: 1 read-only, 2 hidden, 4 system, 20h archive; 40h run after unpacking,
 *     80h the name is UTF-8 (else it is taken to be Latin-1: nothing tells the code page)
 * @param folder which of the cabinet's folders (stretches of packed data) it is in
 * @param offset where it begins in the unpacked folder
 */
public record CabinetFile(
    String name,
    long size,
    Optional<LocalDateTime> modified,
    int attributes,
    int folder,
    long offset) {

  /**
   * The last part of the name, which leads nowhere; empty if there is none that a file can have.
   */
  public String baseName() {
    return lastPart(name);
  }

  /** What stands behind the last separator of any system; empty if no file can be called so. */
  public static String lastPart(String path) {
    int slash = Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));
    String last = path.substring(1 + Math.max(slash, path.lastIndexOf(':')));
    boolean isName = !last.equals(".") && !last.equals("..");
    return isName && last.chars().noneMatch(Character::isISOControl) ? last : "";
  }
}
