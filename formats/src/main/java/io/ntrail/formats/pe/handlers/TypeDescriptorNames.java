package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.PeImage;
import java.util.HashMap;
import java.util.Map;

/**
 * The decorated names in type descriptors of C++, for one reader: each is read once, and all
 * together are bounded, since a hostile image can name the same long text from everywhere.
 */
final class TypeDescriptorNames {
  private static final int LONGEST = 4096;
  private static final int MOST = 1 << 20;

  private final PeImage image;
  private final Map<Long, String> names = new HashMap<>();
  private int characters;

  TypeDescriptorNames(PeImage image) {
    this.image = image;
  }

  /**
   * The name in a type descriptor, which has two pointers before it.
   *
   * @param type its RVA; 0: none
   * @throws DamagedInput if the image does not hold it
   */
  String of(long type) {
    if (type == 0) {
      return "";
    }
    String known = names.get(type);
    if (known != null) {
      return known;
    }
    if (characters > MOST) {
      throw new DamagedInput(
          image.name(), Math.max(0, image.view().offset(type)), "the names of types are too long");
    }
    String name = image.view().text(type + 2L * image.headers().pointerBytes(), LONGEST);
    characters += name.length();
    names.put(type, name);
    return name;
  }
}
