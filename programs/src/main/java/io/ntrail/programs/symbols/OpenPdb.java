package io.ntrail.programs.symbols;

import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A PDB with the files that it is read from, which may be packed. */
public final class OpenPdb implements FileRequest.Opened {
  private final Path path;
  private final String member;
  private final PdbFile pdb;
  private final List<InputFile> inputs;
  private final Gaps packed;

  private OpenPdb(Path path, String member, PdbFile pdb, List<InputFile> inputs, Gaps packed) {
    this.path = path;
    this.member = member;
    this.pdb = pdb;
    this.inputs = inputs;
    this.packed = packed;
  }

  /**
   * Opens a PDB.
   *
   * @throws CannotGoOn if it is none
   */
  public static OpenPdb open(Path path) {
    return open(path, "", path.toString());
  }

  /**
   * Opens a PDB in an archive.
   *
   * @param member its name there; empty if there is one PDB at most
   * @param name of the file in messages
   * @throws CannotGoOn if it is none
   */
  static OpenPdb open(Path path, String member, String name) {
    Gaps packed = new Gaps();
    String wanted = member.toLowerCase(Locale.ROOT);
    List<InputFile> inputs =
        Archives.open(
            path,
            name,
            MemberChoice.of(
                inner -> wanted.isEmpty() ? isName(inner) : inner.equals(wanted),
                PdbFile::refuseOthers),
            packed);
    boolean done = false;
    try {
      if (inputs.size() != 1) {
        throw new CannotGoOn(
            "%s contains %d PDBs, not one".formatted(name, inputs.size()),
            "unpack it and name the PDB");
      }
      OpenPdb open = new OpenPdb(path, member, PdbFile.open(inputs.getFirst()), inputs, packed);
      done = true;
      return open;
    } finally {
      if (!done) {
        inputs.forEach(InputFile::close);
      }
    }
  }

  private static boolean isName(String name) {
    return name.toLowerCase(Locale.ROOT).matches(".*\\.pd[b_]");
  }

  /** Returns its path. */
  public Path path() {
    return path;
  }

  /** Returns its place for messages: with its name in the archive, if it is in one. */
  public String place() {
    return member.isEmpty() ? path.toString() : path + "!/" + LocalPath.printable(member);
  }

  /** Its bytes; to be used as long as this is open. */
  public InputFile input() {
    return inputs.getFirst();
  }

  /** Returns the PDB; not to be used after this is closed. */
  public PdbFile pdb() {
    return pdb;
  }

  /** Returns what could not be decompressed or read so far. */
  public List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>(packed.list());
    gaps.addAll(pdb.gaps());
    return gaps;
  }

  @Override
  public void close() {
    inputs.forEach(InputFile::close);
  }
}
