package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.RecordTable;

/**
 * Rows of some records of a buffer by what a survey does with them, each list in the order of the
 * rows. One loop without branches makes all lists, since no processor guesses of which kind the
 * next record is; a loop over one list then does the same to each record. Used again for the next
 * records.
 */
public final class RowsByUse {
  /** A list of rows. */
  public static final class Rows {
    private int[] rows = new int[64];
    private int count;
    private final int bit;

    private Rows(int bit) {
      this.bit = bit;
    }

    /** Number of rows. */
    public int count() {
      return count;
    }

    /** Row number {@code i} of the list. */
    public int get(int i) {
      return rows[i];
    }

    private int[] room(int needed) {
      if (rows.length < needed) {
        rows = new int[needed];
      }
      return rows;
    }
  }

  private final Rows hooks = new Rows(1);
  private final Rows others = new Rows(1 << 1);
  private final Rows stacks = new Rows(1 << 2);
  private final Rows facts = new Rows(1 << 3);
  private final Rows samples = new Rows(1 << 4);

  /** By kind: bits of the lists that all of its records are in. */
  private final byte[] ofKind = new byte[16];

  /** By kind: bits of the lists that its records are in if their hook id is asked for. */
  private final byte[] ofHook = new byte[16];

  /** By hook id: bits of the lists that it is asked for in. */
  private final byte[] asked = new byte[1 << 16];

  /** Lists nothing but which records name their event by a hook id, and which do not. */
  public RowsByUse() {
    for (RecordKind kind : RecordKind.values()) {
      int i = kind.ordinal();
      ofKind[i] = (byte) (kind.isHook() ? hooks.bit : others.bit);
      ofHook[i] = (byte) (kind.isHook() ? -1 : 0);
      if (kind.isClassic()) {
        ofKind[i] |= (byte) (stacks.bit | facts.bit);
      }
    }
  }

  /** Records that name their event by a hook id. */
  public Rows hooks() {
    return hooks;
  }

  /** All other records. */
  public Rows others() {
    return others;
  }

  /** Records that may be stacks: of hook ids that were asked for, and all classic ones. */
  public Rows stacks() {
    return stacks;
  }

  /**
   * Records that may tell of the machine: of hook ids that were asked for, and all classic ones.
   */
  public Rows facts() {
    return facts;
  }

  /** Records of hook ids that were asked for as samples. */
  public Rows samples() {
    return samples;
  }

  /** Asks for the records of a hook id in one of the lists. */
  public void ask(Rows list, int hook) {
    asked[hook] |= (byte) list.bit;
  }

  /** Makes the lists of the records from a row (inclusive) to another one (exclusive). */
  public void list(RecordTable table, int from, int to) {
    int[] hookRows = hooks.room(to - from);
    int[] otherRows = others.room(to - from);
    int[] stackRows = stacks.room(to - from);
    int[] factRows = facts.room(to - from);
    int[] sampleRows = samples.room(to - from);
    int hookCount = 0;
    int otherCount = 0;
    int stackCount = 0;
    int factCount = 0;
    int sampleCount = 0;
    for (int i = from; i < to; i++) {
      int kind = table.kindOrdinal(i);
      int lists = asked[table.hookId(i)] & ofHook[kind] | ofKind[kind];
      hookRows[hookCount] = i;
      hookCount += lists & 1;
      otherRows[otherCount] = i;
      otherCount += lists >> 1 & 1;
      stackRows[stackCount] = i;
      stackCount += lists >> 2 & 1;
      factRows[factCount] = i;
      factCount += lists >> 3 & 1;
      sampleRows[sampleCount] = i;
      sampleCount += lists >> 4 & 1;
    }
    hooks.count = hookCount;
    others.count = otherCount;
    stacks.count = stackCount;
    facts.count = factCount;
    samples.count = sampleCount;
  }
}
