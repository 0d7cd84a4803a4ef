package io.ntrail.formats.cab;

import java.time.LocalDateTime;
import java.util.Optional;

/**
 * File entry of a cabinet (CFFILE).
 *
 * @param name as stored, often with a path; never use it as one, see {@link #baseName}
 * @param size in bytes, uncompressed; below 4 GiB
 * @param modified local time of the computer that made the cabinet, to two seconds; empty if it is
 *     not a date
 * @param attributes of DOS: 1 read-only, 2 hidden, 4 system, 20h archive; 40h run after unpacking,
 *     80h the name is UTF-8 (else it is taken to be Latin-1: the code page is not recorded)
 * @param folder index of the cabinet's folder (stretch of compressed data) that it is in
 * @param offset its offset in the uncompressed folder
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

  /**
   * Returns the part after the last separator of any system; empty if that is not a valid file
   * name.
   */
  public static String lastPart(String path) {
    int slash = Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));
    String last = path.substring(1 + Math.max(slash, path.lastIndexOf(':')));
    boolean isName = !last.equals(".") && !last.equals("..");
    return isName && last.chars().noneMatch(Character::isISOControl) ? last : "";
  }
}
