package io.ntrail.formats.pe;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Differences between two readings of one image, field by field, with the number of compared
 * fields.
 */
public final class Differences {
  /** Creates an empty comparison. */
  public Differences() {}

  private static final int MOST_OF_ONE_IMAGE = 5;

  private final List<String> found = new ArrayList<>();
  private String image = "";
  private String part = "";
  private int ofThisImage;
  private long compared;

  /** All that follows is about this image. */
  public Differences image(String name) {
    image = name;
    ofThisImage = 0;
    return this;
  }

  /** All that follows is about this part of it. */
  public Differences part(String name) {
    part = name;
    return this;
  }

  public void same(String field, @Nullable Object told, @Nullable Object read) {
    compared++;
    if (!Objects.equals(told, read) && ofThisImage++ < MOST_OF_ONE_IMAGE) {
      found.add(image + ": " + part + ": " + field + ": told " + told + ", read " + read);
    }
  }

  public void same(String field, long told, long read) {
    compared++;
    if (told != read && ofThisImage++ < MOST_OF_ONE_IMAGE) {
      found.add(
          image
              + ": "
              + part
              + ": "
              + field
              + ": told 0x"
              + Long.toHexString(told)
              + ", read 0x"
              + Long.toHexString(read));
    }
  }

  /** The differences, the first few of each image. */
  public List<String> found() {
    return found;
  }

  /** Returns the number of compared fields. */
  public long compared() {
    return compared;
  }
}
