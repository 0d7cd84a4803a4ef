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
  static final Comparator<ImageFile> ORDER =
      Comparator.comparing(ImageFile::path)
          .thenComparingLong(ImageFile::size)
          .thenComparingInt(ImageFile::timeDateStamp);

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
