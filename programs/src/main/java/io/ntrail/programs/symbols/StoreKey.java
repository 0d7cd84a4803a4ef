package io.ntrail.programs.symbols;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Key of a file in a symbol store: {@code name/key/name}. Equal keys mean the same build of a file.
 *
 * @param name of the file, without folders; it can lead to no other folder
 * @param key hexadecimal digits, as Microsoft's stores spell them
 */
public record StoreKey(String name, String key) {
  /** IMAGE_DEBUG_ENTRY.MinorVersion of a portable PDB: {@code PM}. */
  private static final int PORTABLE = 0x504D;

  private static final Pattern HEX = Pattern.compile("[0-9A-Fa-f]{1,64}");

  /**
   * Checks both.
   *
   * @throws IllegalArgumentException if the name is none, or the key is not hexadecimal
   */
  public StoreKey {
    if (!SafeFileName.isUsable(name) || !HEX.matcher(key).matches()) {
      throw new IllegalArgumentException("not a store file name and key");
    }
  }

  /**
   * The key of a PDB 7.
   *
   * @param path as the image has it; only its last part is used
   * @param id with the age of DBI, which is the one that the image names
   * @return empty if the path ends in no name of a file
   */
  public static Optional<StoreKey> pdb(String path, PdbId id) {
    return of(path, id.key());
  }

  /**
   * The key of a PDB 2 ({@code NB10}).
   *
   * @param signature seconds since 1970
   */
  public static Optional<StoreKey> pdb2(String path, long signature, long age) {
    return of(path, String.format(Locale.ROOT, "%08X%x", signature, age));
  }

  /** Returns the key of a portable PDB, which is marked by an age of 32 ones. */
  public static Optional<StoreKey> portable(String path, Guid guid) {
    return of(path, new PdbId(guid, 0).key().substring(0, 32) + "FFFFFFFF");
  }

  /** The key of a program, library or driver, or of a {@code .dbg} that was taken out of it. */
  public static Optional<StoreKey> image(String path, ImageId id) {
    return of(path, id.key());
  }

  /** The key of the PDB that an image names; empty if it names none that has a key. */
  public static Optional<StoreKey> of(DebugDirectory debug) {
    boolean portable =
        debug.entries().stream()
            .filter(entry -> entry.type() == DebugDirectory.CODEVIEW)
            .findFirst()
            .filter(entry -> entry.minorVersion() == PORTABLE)
            .isPresent();
    return debug.codeView().flatMap(codeView -> of(codeView, portable));
  }

  // One after the other: the code of a switch over types is made by the JVM when it first runs, and
  // the thread of a traced program may be waiting.
  private static Optional<StoreKey> of(CodeView codeView, boolean portable) {
    if (codeView instanceof CodeView.Pdb70(var guid, long age, String path)) {
      return portable ? portable(path, guid) : pdb(path, new PdbId(guid, age));
    }
    return codeView instanceof CodeView.Pdb20(long signature, long age, String path)
        ? pdb2(path, signature, age)
        : Optional.empty();
  }

  private static Optional<StoreKey> of(String path, String key) {
    return SafeFileName.of(path).map(name -> new StoreKey(name, key));
  }

  /**
   * The spellings of the key that occur, in the order in which they are to be tried where case
   * matters: digits of GUIDs and times in upper case and ages and sizes in lower case, all upper
   * case, all lower case.
   */
  public List<String> keys() {
    return Stream.of(key, key.toUpperCase(Locale.ROOT), key.toLowerCase(Locale.ROOT))
        .distinct()
        .toList();
  }

  /** The spellings of the name that occur, in the order in which they are to be tried. */
  public List<String> names() {
    return Stream.of(name, name.toLowerCase(Locale.ROOT))
        .filter(SafeFileName::isUsable)
        .distinct()
        .toList();
  }

  /**
   * Name and key as servers spell them, in the order in which they are to be tried: as they are,
   * all lower case, and the key in one case.
   */
  public List<StoreKey> spellings() {
    String lowerName = name.toLowerCase(Locale.ROOT);
    String lowerKey = key.toLowerCase(Locale.ROOT);
    String upperKey = key.toUpperCase(Locale.ROOT);
    return Stream.of(
            List.of(name, key),
            List.of(lowerName, lowerKey),
            List.of(lowerName, key),
            List.of(name, upperKey))
        .filter(pair -> SafeFileName.isUsable(pair.getFirst()))
        .distinct()
        .map(pair -> new StoreKey(pair.getFirst(), pair.getLast()))
        .toList();
  }

  /** The name of the compressed file: {@code foo.pd_}. */
  public String packedName() {
    return SafeFileName.packed(name);
  }

  /** The folder of the name in a store of two tiers. */
  public String prefix() {
    return LocalStore.prefix(name);
  }

  // Written out: what a record makes of itself at run time costs milliseconds at every start.
  @Override
  public boolean equals(Object other) {
    return other instanceof StoreKey its && its.name.equals(name) && its.key.equals(key);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + key.hashCode();
  }

  /** {@code name/key/name}, for messages. */
  @Override
  public String toString() {
    return name + "/" + key + "/" + name;
  }
}
