package io.ntrail.formats.identity;

import java.util.Locale;

/**
 * Which PDB belongs to an image: the one with the same GUID; the age says how often the linker
 * changed it since.
 */
public record PdbId(Guid guid, long age) {
  /**
   * The form that symbol servers use: the GUID in upper case without hyphens, then the age in
   * hexadecimal, as short as it is and in lower case like the size in {@link ImageId#key}.
   */
  public String key() {
    return guid.toString().replace("-", "").toUpperCase(Locale.ROOT) + Long.toHexString(age);
  }
}
