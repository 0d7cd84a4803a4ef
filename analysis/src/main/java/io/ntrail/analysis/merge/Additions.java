package io.ntrail.analysis.merge;

import java.util.ArrayList;
import java.util.List;

/**
 * Knowledge that a merge adds to the records of the files.
 *
 * @param records by time
 * @param images whose PDBs were added
 * @param system facts about the recorded system that were added
 * @param descriptions of events that were added
 * @param pdbs that were packed
 * @param missing what was to be added and could not
 */
public record Additions(
    List<AddedRecord> records,
    int images,
    SystemFacts system,
    int descriptions,
    int pdbs,
    List<Missing> missing) {
  /** Nothing. */
  public static final Additions NONE =
      new Additions(List.of(), 0, SystemFacts.NONE, 0, 0, List.of());

  /**
   * Something that was to be added, and could not.
   *
   * @param what kind of thing it is: image, description of an event, PDB
   * @param name of it
   * @param why it is missing
   */
  public record Missing(String what, String name, String why) {}

  /**
   * Numbers of facts about the recorded system.
   *
   * @param volumes whose drive letters were added
   * @param paths 1 if the folders of the system were added
   * @param builds 1 if the build of Windows was added
   */
  public record SystemFacts(int volumes, int paths, int builds) {
    /** Nothing. */
    public static final SystemFacts NONE = new SystemFacts(0, 0, 0);

    /** Returns both. */
    SystemFacts and(SystemFacts more) {
      return new SystemFacts(volumes + more.volumes, paths + more.paths, builds + more.builds);
    }
  }

  /** Copies. */
  public Additions {
    records = List.copyOf(records);
    missing = List.copyOf(missing);
  }

  /** Returns both. */
  public Additions and(Additions more) {
    List<AddedRecord> all = new ArrayList<>(records);
    all.addAll(more.records);
    List<Missing> allMissing = new ArrayList<>(missing);
    allMissing.addAll(more.missing);
    return new Additions(
        AddedRecord.inOrder(all),
        images + more.images,
        system.and(more.system),
        descriptions + more.descriptions,
        pdbs + more.pdbs,
        allMissing);
  }
}
