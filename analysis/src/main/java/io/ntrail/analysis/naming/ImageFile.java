package io.ntrail.analysis.naming;

import io.ntrail.formats.identity.ImageId;
import org.jspecify.annotations.Nullable;

/**
 * The file that an image was loaded from.
 *
 * @param path as the kernel writes it
 * @param size bytes of the image in memory
 * @param timeDateStamp of its header; 0 if not recorded
 */
public record ImageFile(String path, long size, int timeDateStamp) {
  /** Compares by path, size, time stamp: an order that does not depend on the recording. */
  static int compare(ImageFile a, ImageFile b) {
    int paths = a.path.compareTo(b.path);
    int sizes = Long.compare(a.size, b.size);
    return paths != 0
        ? paths
        : sizes != 0 ? sizes : Integer.compare(a.timeDateStamp, b.timeDateStamp);
  }

  // By hand: the methods that Java makes for a record are put together when they are first called,
  // from a dozen of classes that no start cache has, and every dump needs this one.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ImageFile that
        && path.equals(that.path)
        && size == that.size
        && timeDateStamp == that.timeDateStamp;
  }

  @Override
  public int hashCode() {
    return (path.hashCode() * 31 + Long.hashCode(size)) * 31 + timeDateStamp;
  }

  /** Returns the last part of the path that is not empty; {@code (unnamed)} if there is none. */
  public String name() {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '\\') {
      end--;
    }
    return end == 0 ? "(unnamed)" : path.substring(path.lastIndexOf('\\', end - 1) + 1, end);
  }

  /** Returns the identity of the build; its time stamp is 0 if not recorded. */
  public ImageId id() {
    return new ImageId(Integer.toUnsignedLong(timeDateStamp), size);
  }
}
