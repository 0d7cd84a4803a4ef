package io.ntrail.formats.identity;

import java.util.Locale;

/**
 * Identity of a PDB: the one of an image has the same GUID; the age counts how often the linker
 * changed it since.
 */
public record PdbId(Guid guid, long age) {
  // A record's own equals and hashCode, made by the JVM at the first call, cost milliseconds at the
  // start.

  @Override
  public boolean equals(Object other) {
    return other instanceof PdbId id && id.age == age && id.guid.equals(guid);
  }

  @Override
  public int hashCode() {
    return guid.hashCode() * 31 + Long.hashCode(age);
  }

  /**
   * The form that symbol servers use: the GUID in upper case without hyphens, then the age in
   * hexadecimal, as short as it is and in lower case like the size in {@link ImageId#key}.
   */
  public String key() {
    return guid.toString().replace("-", "").toUpperCase(Locale.ROOT) + Long.toHexString(age);
  }
}
