package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Collects the content of definitions chunks (docs/ntr.md section 4). */
final class DefinitionTable {
  /** More bytes of definitions than a recorder writes, and less than a heap. */
  private static final long MAX_BYTES = 64L << 20;

  /** The shortest record: what a definition takes here is more than it takes in the file. */
  private static final int BYTES_EACH = 40;

  final Map<Long, TracedProcess> processes = new LinkedHashMap<>();
  final Map<Long, TracedThread> threads = new LinkedHashMap<>();
  final Map<Long, TracedModule> modules = new LinkedHashMap<>();
  final Map<Long, TracedFunction> functions = new LinkedHashMap<>();
  final Map<Long, UntracedModule> untraced = new LinkedHashMap<>();
  final Map<Long, TracedProcess.Hold> holds = new LinkedHashMap<>();
  final Map<Long, CallTotals> totals = new LinkedHashMap<>();
  final Map<Long, TracedThread.Callers> callers = new LinkedHashMap<>();
  final Map<Long, Omission> omissions = new LinkedHashMap<>();
  final Map<Long, Gap> gaps = new LinkedHashMap<>();
  final Map<Long, TracedThread.Whole> wholeThreads = new LinkedHashMap<>();
  final List<ClockCalibration> calibrations = new ArrayList<>();
  long lostElsewhere;
  private long bytes;

  /**
   * Adds the records of a chunk, up to the first that is damaged.
   *
   * @throws DamagedInput where a record is damaged, or if there are too many
   */
  void read(ColumnReader in) {
    while (!in.atEnd()) {
      long kind = in.var();
      int length = in.bounded(in.left(), "bytes of a record");
      if (length > in.left()) {
        throw in.damaged("end within a record");
      }
      int end = in.position() + length;
      int all = in.stopAt(end);
      bytes += length + BYTES_EACH;
      if (bytes > MAX_BYTES) {
        throw in.damaged("exceed the limit of 64 MiB");
      }
      if (kind >= 0 && kind <= NtrLayout.LOST_ELSEWHERE) {
        record((int) kind, in);
      }
      in.skipTo(end);
      in.stopAt(all);
    }
  }

  private void record(int kind, ColumnReader in) {
    switch (kind) {
      case NtrLayout.PROCESS -> {
        long number = in.var();
        processes.put(
            number,
            TracedProcess.running(number, in.var(), in.var(), in.text(), in.text())
                .of(in.atEnd() ? 0 : in.var32("machine type")));
      }
      case NtrLayout.PROCESS_END -> {
        long number = in.var();
        long ended = in.var();
        long code = in.var();
        processes.computeIfPresent(number, (_, p) -> p.until(ended, code));
      }
      case NtrLayout.THREAD -> {
        long number = in.var();
        threads.put(number, TracedThread.running(number, in.var(), in.var(), in.var(), in.text()));
      }
      case NtrLayout.THREAD_END -> {
        long number = in.var();
        long ended = in.var();
        threads.computeIfPresent(
            number,
            (n, t) -> new TracedThread(n, t.process(), t.tid(), t.began(), ended, t.name()));
      }
      case NtrLayout.MODULE -> module(in);
      case NtrLayout.MODULE_END -> {
        long number = in.var();
        long unloaded = in.var();
        modules.computeIfPresent(
            number,
            (n, m) ->
                new TracedModule(
                    n,
                    m.process(),
                    m.base(),
                    m.image(),
                    m.loaded(),
                    unloaded,
                    m.path(),
                    m.pdb(),
                    m.pdbName()));
      }
      case NtrLayout.FUNCTION -> function(in);
      case NtrLayout.CALIBRATION ->
          calibrations.add(new ClockCalibration(in.var(), in.var(), in.var()));
      case NtrLayout.UNTRACED -> {
        long number = in.var();
        untraced.put(
            number, new UntracedModule(number, in.var(), in.var(), in.var(), in.text(), in.text()));
      }
      case NtrLayout.TOTALS -> totals(in);
      case NtrLayout.HOLD -> {
        long number = in.var();
        holds.put(number, new TracedProcess.Hold(number, in.var(), in.var(), in.var(), in.text()));
      }
      case NtrLayout.CALLERS -> callers(in);
      case NtrLayout.OMISSION -> {
        long number = in.var();
        long records = in.var();
        omissions.put(number, new Omission(in.text(), records));
      }
      case NtrLayout.GAP -> {
        long number = in.var();
        long offset = in.var();
        long length = in.zig();
        gaps.put(number, new Gap(in.text(), offset, length, in.text(), in.text()));
      }
      case NtrLayout.WHOLE_THREAD -> {
        long number = in.var();
        long first = in.var();
        boolean hasStacks = in.bounded(1, "stacks of a thread") == 1;
        wholeThreads.put(number, new TracedThread.Whole(number, first, hasStacks));
      }
      case NtrLayout.LOST_ELSEWHERE -> lostElsewhere = in.var();
      default -> {
        // Of a later version.
      }
    }
  }

  private void module(ColumnReader in) {
    long number = in.var();
    long process = in.var();
    long base = in.var();
    long size = in.var();
    long timestamp = in.var();
    long loaded = in.var();
    String path = in.text();
    PdbId pdb = null;
    String pdbName = "";
    if (in.bounded(1, "PDBs of a module") == 1) {
      pdb = new PdbId(in.guid(), in.var());
      pdbName = in.text();
    }
    modules.put(
        number,
        new TracedModule(
            number, process, base, new ImageId(timestamp, size), loaded, 0, path, pdb, pdbName));
  }

  private void function(ColumnReader in) {
    long number = in.var();
    long module = in.var();
    long rva = in.var();
    String name = in.text();
    List<Integer> arguments = places(in);
    Optional<CallPrototype> prototype = in.atEnd() ? Optional.empty() : prototype(in);
    functions.put(number, new TracedFunction(number, module, rva, name, arguments, prototype));
  }

  private static List<Integer> places(ColumnReader in) {
    int count = in.bounded(NtrLayout.MAX_VALUES, "arguments of a function");
    List<Integer> places = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      places.add(in.var32("place of an argument"));
    }
    return places;
  }

  /** Reads where arguments lie; of a convention that this reader does not know, nothing. */
  private static Optional<CallPrototype> prototype(ColumnReader in) {
    int convention = in.var32("calling convention");
    int flags = in.var32("flags of a prototype");
    List<Integer> places = places(in);
    CallPrototype.Convention[] known = CallPrototype.Convention.values();
    return convention < 1 || convention > known.length
        ? Optional.empty()
        : Optional.of(
            new CallPrototype(
                known[convention - 1],
                places,
                (flags & 2) != 0,
                (flags & 1) != 0,
                (flags & 4) != 0));
  }

  private void totals(ColumnReader in) {
    long number = in.var();
    long function = in.var();
    long thread = in.var();
    long from = in.var();
    long to = in.var();
    int why = in.var32("reason of totals");
    long calls = in.var();
    CallTotals.Times times =
        in.bounded(1, "times of totals") == 1 ? times(in) : CallTotals.Times.NONE;
    totals.put(number, new CallTotals(number, function, thread, from, to, why, calls, times));
  }

  private void callers(ColumnReader in) {
    long number = in.var();
    long process = in.var();
    long tid = in.var();
    long ticks = in.var();
    long key = in.var();
    int end = in.var32("end of callers");
    String why = in.text();
    int count = in.bounded(NtrLayout.MAX_CALLERS, "frames of callers");
    List<TracedThread.Frame> frames = new ArrayList<>();
    long address = 0;
    for (int i = 0; i < count; i++) {
      address += in.zig();
      frames.add(new TracedThread.Frame(address, in.var32("trust of a frame"), in.var()));
    }
    callers.put(
        number, new TracedThread.Callers(number, process, tid, ticks, key, end, why, frames));
  }

  private static CallTotals.Times times(ColumnReader in) {
    long entryOnly = in.var();
    long exits = in.var();
    long unwinds = in.var();
    long abandoned = in.var();
    long total = in.var();
    long self = in.var();
    long shortest = in.var();
    long longest = in.var();
    int count = in.bounded(NtrLayout.MAX_BUCKETS, "places of a histogram");
    List<Long> histogram = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      histogram.add(in.var());
    }
    return new CallTotals.Times(
        true, entryOnly, exits, unwinds, abandoned, total, self, shortest, longest, histogram);
  }

  /** All calibrations in order of ticks. */
  List<ClockCalibration> calibrations() {
    calibrations.sort((a, b) -> Long.compareUnsigned(a.ticks(), b.ticks()));
    return List.copyOf(calibrations);
  }
}
