package io.ntrail.analysis.naming;

import io.ntrail.formats.identity.ImageId;
import java.util.Comparator;

/**
 * The file that an image was loaded from.
 *
 * @param path as the kernel writes it
 * @param size bytes of the image in memory
 * @param timeDateStamp of its header; 0 if not recorded
 */
public record ImageFile(String path, long size, int timeDateStamp) {
  static final Comparator<ImageFile> ORDER = ImageFile::compare;

  private static int compare(ImageFile a, ImageFile b) {
    int byPath = a.path.compareTo(b.path);
    int bySize = byPath != 0 ? byPath : Long.compare(a.size, b.size);
    return bySize != 0 ? bySize : Integer.compare(a.timeDateStamp, b.timeDateStamp);
  }

  // A record's own equals and hashCode, made by the JVM at the first call, cost milliseconds at the
  // start.

  @Override
  public boolean equals(Object other) {
    return other instanceof ImageFile file
        && file.size == size
        && file.timeDateStamp == timeDateStamp
        && file.path.equals(path);
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
