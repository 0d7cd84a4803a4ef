package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import java.util.HexFormat;
import java.util.Optional;

/** Location of the symbols of a module, as its debug directory says it (CodeView record). */
public sealed interface CodeViewRecord {
  /** Returns the path of the PDB as the linker wrote it; empty for records without one. */
  String path();

  /** A PDB since Visual C++ 7 ({@code RSDS}). */
  record Pdb70(PdbId id, String path) implements CodeViewRecord {}

  /**
   * A PDB before that ({@code NB10}).
   *
   * @param signature a time stamp
   */
  record Pdb20(long signature, long age, String path) implements CodeViewRecord {}

  /**
   * The build id of an ELF image, as Breakpad writes it.
   *
   * @param id in lower-case hexadecimal digits
   */
  record BuildId(String id) implements CodeViewRecord {
    @Override
    public String path() {
      return "";
    }
  }

  /**
   * A record of a kind that is not known.
   *
   * @param signature its first four bytes
   */
  record Unknown(int signature) implements CodeViewRecord {
    @Override
    public String path() {
      return "";
    }
  }

  /** Signature of {@link Pdb70}. */
  int RSDS = 0x5344_5352;

  /** Signature of {@link Pdb20}. */
  int NB10 = 0x3031_424E;

  /** First half of signatures of Microsoft before {@code RSDS}: {@code NB}. */
  int MICROSOFT = 0x424E;

  /** First half of signatures of Borland: {@code FB}. */
  int BORLAND = 0x4246;

  /** Signature of {@link BuildId}. */
  int BPEL = 0x4270_454C;

  /** Bytes of a {@link Pdb70} before its path. */
  int HEAD_70 = 24;

  /** Bytes of a {@link Pdb20} before its path. */
  int HEAD_20 = 16;

  /** Bytes of a record that are read at most: a path is no longer. */
  int MOST = 0x1_0000;

  /**
   * Reads a CodeView record.
   *
   * @return empty if there are not enough bytes for any
   */
  static Optional<CodeViewRecord> read(Bytes record) {
    if (record.length() < 4) {
      return Optional.empty();
    }
    int signature = record.i32(0);
    if (signature == RSDS && record.length() >= HEAD_70) {
      PdbId id = new PdbId(Guid.read(record, 4), record.u32(20));
      return Optional.of(new Pdb70(id, record.utf8z(HEAD_70, record.length())));
    }
    if (signature == NB10 && record.length() >= HEAD_20) {
      return Optional.of(
          new Pdb20(record.u32(8), record.u32(12), record.utf8z(HEAD_20, record.length())));
    }
    if (signature == BPEL) {
      return Optional.of(
          new BuildId(HexFormat.of().formatHex(record.array(4, record.length() - 4))));
    }
    return Optional.of(new Unknown(signature));
  }

  /**
   * Returns why a record that is there names no symbols, as a clause; empty if it names them, or is
   * of a kind that has them in the image ({@code NB09}).
   */
  static String damage(Bytes record) {
    if (record.length() < 4) {
      return "it has %d bytes, too few for a signature".formatted(record.length());
    }
    int signature = record.i32(0);
    int least = signature == RSDS ? HEAD_70 : signature == NB10 ? HEAD_20 : 4;
    if (record.length() < least) {
      return "it has %d bytes; a record of its kind has at least %d"
          .formatted(record.length(), least);
    }
    int maker = signature & 0xFFFF;
    boolean isKnown =
        signature == RSDS || signature == BPEL || maker == MICROSOFT || maker == BORLAND;
    return isKnown ? "" : "its signature 0x%08x is not known".formatted(signature);
  }
}
