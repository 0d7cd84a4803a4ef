package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.FlowTotals;
import io.ntrail.analysis.flow.recorded.PieceResult;
import io.ntrail.analysis.flow.recorded.PieceSettings;
import io.ntrail.analysis.flow.recorded.PieceWalk;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.analysis.flow.recorded.RecordedProfile;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.x86.FlowClass;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One pass over the pieces of a recording that are meant: what was executed, counted. */
final class RecordedFlow {
  /** Errors that are kept at most; all are counted. */
  private static final int MOST = 100_000;

  /** Pieces that a thread follows at a time. */
  private static final int TASK = 32;

  /**
   * An error that is told.
   *
   * @param piece number of the piece
   * @param offset in the piece, its bytes in order
   */
  record Lost(int piece, FlowError error, long offset, long address, String why) {}

  /**
   * Result of a piece.
   *
   * @param instructions that are of the time that is wanted
   * @param undecoded bytes before the first PSB
   * @param knowsTime whether times on the clock of the recording are known
   */
  record Walked(int number, long instructions, long errors, long undecoded, boolean knowsTime) {}

  private final RecordedTrace trace;
  private final int[] pieces;
  private final PieceSettings settings;
  private final TimeRange time;
  private final StoppableWork<WorkPhase> work;

  private final FlowTotals totals = new FlowTotals();
  private final FlowTotals packets = new FlowTotals();
  private final long[] events = new long[FlowEvent.values().length];
  private final List<Lost> lost = new ArrayList<>();
  private final List<Walked> walked = new ArrayList<>();
  private long errors;
  private long bytes;
  private long lostTimes;

  RecordedFlow(
      RecordedTrace trace,
      int[] pieces,
      PieceSettings settings,
      TimeRange time,
      StoppableWork<WorkPhase> work) {
    this.trace = trace;
    this.pieces = pieces.clone();
    this.settings = settings;
    this.time = time;
    this.work = work;
  }

  /**
   * Follows the flow of all pieces, by time.
   *
   * @param sink returns who takes the flow of a piece
   * @param after is told of each piece when it is over
   */
  void run(Function<RecordedPiece, FlowSink> sink, Consumer<Walked> after) {
    begin();
    try (PieceWalk walk = trace.walk(settings)) {
      follow(walk, 0, pieces.length, sink, after);
    }
    if (work.isStopping()) {
      work.stopped();
    }
  }

  /**
   * Follows the flow of all pieces on several cores, for who adds up.
   *
   * @return sums of pieces, by thread
   */
  List<RecordedProfile> profiles(int cores) {
    begin();
    List<RecordedProfile> profiles = new CopyOnWriteArrayList<>();
    int tasks = (pieces.length + TASK - 1) / TASK;
    OrderedTasks.run(
        cores > 1 ? cores : 0,
        tasks,
        2 * cores,
        () -> {
          RecordedProfile profile = new RecordedProfile();
          profiles.add(profile);
          return new Worker(trace.walk(settings.ofThreads(cores)), profile);
        },
        this::add);
    if (work.isStopping()) {
      work.stopped();
    }
    return profiles;
  }

  /** Adds up the pieces of one thread. */
  private final class Worker implements OrderedTasks.Worker<RecordedFlow> {
    private final PieceWalk walk;
    private final RecordedProfile profile;

    private Worker(PieceWalk walk, RecordedProfile profile) {
      this.walk = walk;
      this.profile = profile;
    }

    @Override
    public RecordedFlow result(int task) {
      RecordedFlow part = new RecordedFlow(trace, pieces, settings, time, work);
      int from = task * TASK;
      int to = Math.min(pieces.length, from + TASK);
      part.follow(walk, from, to, profile::begin, _ -> profile.end());
      return part;
    }

    @Override
    public void close() {
      walk.close();
    }
  }

  /** Adds what was followed after this. */
  private void add(RecordedFlow part) {
    totals.add(part.totals);
    packets.add(part.packets);
    for (int i = 0; i < events.length; i++) {
      events[i] += part.events[i];
    }
    lost.addAll(part.lost.subList(0, Math.min(part.lost.size(), MOST - lost.size())));
    walked.addAll(part.walked);
    errors += part.errors;
    bytes += part.bytes;
    lostTimes += part.lostTimes;
  }

  private void begin() {
    long all = 0;
    for (int number : pieces) {
      all += trace.pieces().piece(number).bytes();
    }
    String name = trace.recording().fileNames().getFirst();
    work.begin(WorkPhase.ofBytes("following the flow of " + name), all);
  }

  private void follow(
      PieceWalk walk,
      int from,
      int to,
      Function<RecordedPiece, FlowSink> sink,
      Consumer<Walked> after) {
    for (int i = from; i < to; i++) {
      if (work.isStopping()) {
        break;
      }
      int number = pieces[i];
      Counting counting = new Counting();
      PieceResult result =
          walk.walk(
              number,
              piece -> {
                counting.piece = piece;
                counting.next = sink.apply(piece);
                return counting;
              });
      settle(number, result, counting);
      after.accept(walked.getLast());
      long size = trace.pieces().piece(number).bytes();
      bytes += size;
      work.done(size);
    }
  }

  private void settle(int number, PieceResult result, Counting counting) {
    long instructions = result.totals().instructions();
    if (time.whole()) {
      totals.add(result.totals());
    } else {
      instructions = counting.settle(totals);
      packets.add(result.totals());
    }
    lostTimes += result.clock().lostMtc() + result.clock().lostCyc();
    walked.add(
        new Walked(number, instructions, counting.errors, result.undecoded(), result.knowsTime()));
  }

  /** Counts what is of the time that is wanted, and hands it on. */
  private final class Counting implements FlowSink {
    private @Nullable RecordedPiece piece;
    private @Nullable FlowSink next;
    private final FlowTotals inTime = new FlowTotals();
    private @Nullable CodeBlocks counted;
    private long errors;

    private boolean isInTime() {
      return time.whole()
          || piece != null
              && time.contains(
                  piece.times().knowsNanos() ? piece.times().nanos() : piece.piece().eventNanos());
    }

    long settle(FlowTotals to) {
      if (counted != null) {
        inTime.settle(counted);
      }
      to.add(inTime);
      return inTime.instructions();
    }

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      if (!isInTime()) {
        return;
      }
      if (!time.whole()) {
        inTime.add(blocks, block, count);
        counted = blocks;
      }
      if (next != null) {
        next.instructions(blocks, block, count, isSpeculative);
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      if (isInTime()) {
        events[event.ordinal()]++;
        if (next != null) {
          next.event(event, address, value);
        }
      }
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      if (!isInTime() || piece == null) {
        return;
      }
      errors++;
      RecordedFlow.this.errors++;
      if (lost.size() < MOST) {
        String why = piece.reasons().text(error, address);
        lost.add(new Lost(piece.number(), error, offset, address, why));
      }
      if (next != null) {
        next.error(error, offset, address);
      }
    }
  }

  /** Returns true if times are read. */
  boolean isTimed() {
    return settings.isTimed();
  }

  /** Returns the results of the pieces so far. */
  List<Walked> walked() {
    return walked;
  }

  /** Returns the bytes of trace of the pieces so far. */
  long bytes() {
    return bytes;
  }

  /** Returns the first errors. */
  List<Lost> lost() {
    return lost;
  }

  /** Returns the number of all errors. */
  long errors() {
    return errors;
  }

  /** Returns how many packets of time did not count, because settings are not known. */
  long lostTimes() {
    return lostTimes;
  }

  long instructions() {
    return totals.instructions();
  }

  long runs() {
    return totals.runs();
  }

  long count(FlowClass kind) {
    return totals.count(kind);
  }

  long count(FlowEvent event) {
    return events[event.ordinal()];
  }

  long count(PacketType type) {
    return (time.whole() ? totals : packets).count(type);
  }
}
