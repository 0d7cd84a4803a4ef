package io.ntrail.formats.identity;

import java.util.Locale;

/**
 * Identity of an image: two numbers of its headers.
 *
 * @param timestamp TimeDateStamp as stored, a time or a hash
 * @param size SizeOfImage in bytes
 */
public record ImageId(long timestamp, long size) {
  /**
   * The form that symbol servers use: eight digits of the stamp, then the size as short as it is.
   */
  public String key() {
    return String.format(Locale.ROOT, "%08X%x", timestamp, size);
  }

  // Written out: what a record makes of itself at run time costs milliseconds at every start.
  @Override
  public boolean equals(Object other) {
    return other instanceof ImageId image && image.timestamp == timestamp && image.size == size;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(timestamp) + Long.hashCode(size);
  }
}
