package io.ntrail.analysis.merge.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.CallSelection;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.JtrcCalls;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.analysis.calls.NtrClock;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.ntr.NtrWriter;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A smaller recording out of a recording of calls: some threads, a stretch of time, calls of some
 * functions with all that they called. Questions about the selected calls have the same answers as
 * before ({@link CallSelection} says what is kept for that). What was left out, what could not be
 * read and what was lost is told by the new file.
 *
 * <p>It is a {@code .ntr} whatever the recording was. A {@code .jtrc} has no place for what a cut
 * has to tell: its reader refuses chunks of other kinds, and its records are entries, exits and
 * unwinds only, so that it could not say how many calls are left out below one that goes on after
 * the end of the time. Its images, threads and times are the same in a {@code .ntr}, and a flag of
 * the header says that entries and exits belong together by their functions.
 *
 * <p>A thread in which more calls were open than a reader keeps track of is copied whole: which of
 * its calls are skipped depends on all that are open.
 */
public final class CallsCut {
  /**
   * Part of a recording.
   *
   * @param threads by their places in the source
   * @param from the first time, in the unit of the source's clock; {@link Long#MIN_VALUE}: the
   *     start
   * @param to the time before which it ends; {@link Long#MAX_VALUE}: the end
   * @param time both as text: {@code 12 s .. 14 s}
   * @param functions any of these; empty for all
   */
  public record Choice(
      List<Integer> threads, long from, long to, String time, List<NamePattern> functions) {
    /** Copies. */
    public Choice {
      threads = List.copyOf(threads);
      functions = List.copyOf(functions);
    }

    private boolean isWhole() {
      return from == Long.MIN_VALUE && to == Long.MAX_VALUE && functions.isEmpty();
    }
  }

  /**
   * Result of a cut. Records are those that {@code info} counts, as far as they can be read: {@code
   * read = records + outsideTime + ofOtherThreads + ofOtherFunctions}.
   *
   * @param bytes of the new file
   * @param read records of the recording
   * @param records of them, those that are in the new file
   * @param outsideTime of them, those that the time excludes
   * @param ofOtherThreads of them, those of threads that were not chosen
   * @param ofOtherFunctions of them, those that the functions exclude
   * @param wholeThreads threads that were copied whole, since too many of their calls were open
   * @param unmatched patterns of functions that no function fits which was looked at
   * @param gaps of the recording
   */
  public record Written(
      long bytes,
      long read,
      long records,
      long outsideTime,
      long ofOtherThreads,
      long ofOtherFunctions,
      int wholeThreads,
      List<NamePattern> unmatched,
      List<Gap> gaps) {
    /** Copies. */
    public Written {
      unmatched = List.copyOf(unmatched);
      gaps = List.copyOf(gaps);
    }
  }

  /** Records that are told to the progress together. */
  private static final int TOLD = 1 << 14;

  private final CallRecording recording;
  private final CallSource source;
  private final Choice choice;
  private final @Nullable LongPredicate functions;
  private final CutTally tally = new CutTally();

  /** Patterns of functions that a function fits. */
  private final Set<NamePattern> matched = new HashSet<>();

  private int wholeThreads;

  private CallsCut(CallRecording recording, Choice choice, CallNames names) {
    this.recording = recording;
    this.source = recording.source();
    this.choice = choice;
    this.functions = choice.functions.isEmpty() ? null : meant(choice.functions, names);
  }

  private LongPredicate meant(List<NamePattern> patterns, CallNames names) {
    Map<Long, Boolean> known = new HashMap<>();
    return function ->
        known.computeIfAbsent(
            function,
            of -> {
              String[] forms = names.forms(of);
              List<NamePattern> its =
                  patterns.stream()
                      .filter(pattern -> Arrays.stream(forms).anyMatch(pattern::matches))
                      .toList();
              matched.addAll(its);
              return !its.isEmpty();
            });
  }

  /**
   * Writes a part of a recording.
   *
   * @param names of functions, as the patterns mean them
   * @param channel is not closed
   * @throws CannotGoOn if reading is stopped ({@link CallRecording#work})
   * @throws IOException if it cannot be written
   */
  public static Written write(
      CallRecording recording, Choice choice, CallNames names, SeekableByteChannel channel)
      throws IOException {
    return new CallsCut(recording, choice, names).write(channel);
  }

  private Written write(SeekableByteChannel channel) throws IOException {
    long before = channel.position();
    recording.survey(choice.threads, 1);
    if (recording.work().stoppedAt().isPresent()) {
      throw CannotGoOn.interrupted();
    }
    recording.work().begin(CallRecording.Pass.CALLS, recordsOf(choice.threads));
    Set<Integer> chosen = new HashSet<>(choice.threads);
    List<CallThread> threads = source.threads();
    for (int i = 0; i < threads.size(); i++) {
      tally.ofOtherThreads += chosen.contains(i) ? 0 : threads.get(i).records();
    }
    try (FileCopy file = begin(channel)) {
      for (int thread : choice.threads) {
        try (ThreadCopy<?> copy = file.thread(thread)) {
          copy(copy, thread);
        }
      }
      file.end();
      tell(file.writer());
    }
    return new Written(
        channel.position() - before,
        tally.read() + tally.ofOtherThreads,
        tally.written,
        tally.outsideTime,
        tally.ofOtherThreads,
        tally.ofOtherFunctions,
        wholeThreads,
        choice.functions.stream().filter(pattern -> !matched.contains(pattern)).toList(),
        recording.gaps());
  }

  private long recordsOf(List<Integer> chosen) {
    return chosen.stream().mapToLong(i -> source.threads().get(i).records()).sum();
  }

  private FileCopy begin(SeekableByteChannel channel) throws IOException {
    // Any number, but the same one for the same cut.
    int id = Objects.hash(source.size(), choice.threads, choice.from, choice.to, choice.time);
    OutputStream out = new Whole(Channels.newOutputStream(channel));
    return switch (source) {
      case NtrCalls ntr -> new NtrFileCopy(out, ntr, recording, choice.threads, id, tally);
      case JtrcCalls jtrc -> new JtrcFileCopy(out, jtrc, choice.threads, id, tally);
      default -> throw new IllegalArgumentException(source.format());
    };
  }

  /** Writes whole chunks, and leaves the channel open. */
  private static final class Whole extends FilterOutputStream {
    Whole(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
    }

    @Override
    public void close() {
      // Whoever opened the channel closes it.
    }
  }

  private <T> void copy(ThreadCopy<T> copy, int thread) throws IOException {
    tally.choose(choice.from, choice.to);
    boolean isWhole = choice.isWhole();
    if (!isWhole && recording.counts(thread).beyond() > 0) {
      isWhole = true;
      wholeThreads++;
    }
    CallSelection<T> selection =
        new CallSelection<>(source.matching(), choice.from, choice.to, functions, copy);
    copy.begin(isWhole ? null : selection);
    CallCursor records = copy.records();
    int told = 0;
    while (records.next()) {
      if (!isWhole) {
        selection.accept(records);
      } else if (records.event() == CallEventKind.LOST) {
        copy.write(copy.copy());
      } else {
        copy.write();
      }
      if (++told == TOLD) {
        recording.work().done(told);
        told = 0;
        if (recording.work().isStopping()) {
          throw CannotGoOn.interrupted();
        }
      }
    }
    recording.work().done(told);
    if (!isWhole) {
      selection.finish();
    }
    copy.end();
  }

  private void tell(NtrWriter writer) throws IOException {
    for (Omission omission : omissions()) {
      writer.omission(omission);
    }
    for (Gap gap : source.gaps()) {
      // The calibrations are in the new file, too, where they are reported again.
      if (!gap.what().equals(NtrClock.CALIBRATIONS)) {
        writer.gap(gap);
      }
    }
  }

  /** Returns what an earlier cut left out, and what this one does. */
  private List<Omission> omissions() {
    List<Omission> all = new ArrayList<>(source.omissions());
    add(all, "records outside " + choice.time, tally.outsideTime);
    add(all, "records of other threads", tally.ofOtherThreads);
    add(
        all,
        "records outside calls of "
            + choice.functions.stream()
                .map(NamePattern::toString)
                .collect(Collectors.joining(", ")),
        tally.ofOtherFunctions);
    return all;
  }

  private static void add(List<Omission> all, String what, long records) {
    if (records > 0) {
      all.add(new Omission(what, records));
    }
  }
}
