package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The PDB stream, number 1: which PDB it is, and the streams that have names (PDB1::loadPdbStream,
 * NMTNI of nmtni.h).
 *
 * @param version 20000404 of every tool since Visual C++ 7
 * @param signature seconds since 1970, or a hash
 * @param age raised by everything that edits the PDB: what the image has is {@link PdbFile#age()}
 * @param guid zero for versions before Visual C++ 7
 * @param namedStreams numbers of streams by name, in the order of the file
 * @param features numbers of PDB features, see the constants
 */
public record PdbInfo(
    long version,
    long signature,
    long age,
    Guid guid,
    Map<String, Integer> namedStreams,
    List<Long> features) {
  /** Versions are days: that of Visual C++ 2 (PDBImpvVC2), and the last day of this century. */
  private static final long FIRST = 19941610;

  private static final long LAST = 20991231;

  /** The first version with a GUID (PDBImpvVC70Dep). */
  private static final long WITH_GUID = 19990604;

  /** There is an IPI stream (impvVC110). */
  public static final long FEATURE_VC110 = 20091201;

  /** There is an IPI stream (impvVC140). */
  public static final long FEATURE_VC140 = 20140508;

  /** NOTM: types were not merged. */
  public static final long FEATURE_NO_TYPE_MERGE = 0x4D54_4F4EL;

  /** MINI: /DEBUG:FASTLINK, which leaves symbols in the object files. */
  public static final long FEATURE_MINIMAL = 0x494E_494DL;

  private static final int MOST_BYTES = 16 << 20;

  /**
   * Reads it.
   *
   * @param damage is told of names that cannot be read, which are left out
   * @throws DamagedInput if it has no identity
   */
  static PdbInfo read(MsfStream stream, Consumer<DamagedInput> damage) {
    Bytes bytes = stream.window(0, (int) Math.min(stream.length(), MOST_BYTES));
    long version = bytes.u32(0);
    if (version < FIRST || version > LAST) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(0), "a PDB stream of version " + version);
    }
    boolean withGuid = version >= WITH_GUID;
    Guid guid = withGuid ? Guid.read(bytes, 12) : Guid.ZERO;
    Map<String, Integer> names = new LinkedHashMap<>();
    List<Long> features = new ArrayList<>();
    try {
      int at = names(bytes, withGuid ? 28 : 12, names);
      for (; bytes.has(at, 4); at += 4) {
        features.add(bytes.u32(at));
      }
    } catch (DamagedInput e) {
      // The identity is what counts; a stream whose name is missing is opened by number.
      damage.accept(e);
    }
    return new PdbInfo(
        version, bytes.u32(4), bytes.u32(8), guid, Map.copyOf(names), List.copyOf(features));
  }

  private static int names(Bytes bytes, int from, Map<String, Integer> names) {
    int textBytes = count(bytes, from, 1);
    Bytes text = bytes.slice(from + 4, textBytes);
    int at = from + 4 + textBytes;
    int count = count(bytes, at, 8);
    at += 8;
    at += 4 + 4 * count(bytes, at, 4);
    at += 4 + 4 * count(bytes, at, 4);
    for (int i = 0; i < count; i++, at += 8) {
      long name = bytes.u32(at);
      if (name < textBytes) {
        names.putIfAbsent(text.utf8z((int) name, textBytes), bytes.i32(at + 4));
      }
    }
    return at + 4;
  }

  /** A stored count of elements, for which there must be room. */
  private static int count(Bytes bytes, int at, int elementBytes) {
    long count = bytes.u32(at);
    if (count > bytes.length() / elementBytes) {
      throw new DamagedInput(
          bytes.name(), bytes.base() + at, "a table of " + count + " in the PDB stream");
    }
    return (int) count;
  }

  /** Returns true if a feature is there. */
  public boolean has(long feature) {
    return features.contains(feature);
  }

  /** Returns true if it says that there are items. */
  boolean hasItems() {
    return has(FEATURE_VC110) || has(FEATURE_VC140);
  }
}
