package io.ntrail.cli.pt;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.input.FileKind;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.dump.StreamType;
import io.ntrail.formats.pt.IptThreadTrace;
import io.ntrail.formats.pt.IptTraceData;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PsbSearch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One stream, and what of it could not be read.
 *
 * @param title name for the first line of an answer, with the thread if the file has threads
 * @param file the stream
 * @param gaps grows while it is read
 * @param firstPsb offset of the first PSB
 * @param dump the minidump that the stream is in; null if it is in none
 * @param work how much of it was read, and whether that was stopped
 */
record PtInput(
    String title,
    InputFile file,
    Gaps gaps,
    long firstPsb,
    @Nullable DumpRecording dump,
    StoppableWork<WorkPhase> work)
    implements AutoCloseable {
  /** Threads that a message lists. */
  private static final int LISTED = 8;

  /** Bytes that are told to the progress together. */
  private static final int TOLD = 1 << 12;

  /**
   * Opens a stream, plain or packed, or that of a thread in a file of ipt.sys or in a minidump.
   *
   * @param thread id of the thread; empty if none was named
   * @throws CannotGoOn if there is none, or several, or no PSB is in it
   */
  static PtInput open(Path path, OptionalLong thread) {
    Gaps gaps = new Gaps();
    MemberChoice streams = MemberChoice.of(PtInput::isStreamName, _ -> {});
    List<InputFile> inputs = Archives.open(path, streams, gaps);
    DumpRecording dump = null;
    try {
      if (inputs.size() != 1) {
        throw new CannotGoOn(
            path + " holds " + inputs.size() + " streams", "unpack it, and name one of them");
      }
      InputFile whole = inputs.getFirst();
      if (FileKind.of(whole) == FileKind.DUMP) {
        inputs = List.of();
        dump = DumpRecording.open(whole, gaps);
        whole = ofDump(path, dump);
        inputs = List.of(whole);
      }
      boolean hasThreads = IptTraceData.looksLike(whole);
      if (!hasThreads && thread.isPresent()) {
        throw new CannotGoOn(path + " is one stream, which names no thread", "leave out -t");
      }
      InputFile file = hasThreads ? ofThread(path, whole, thread, gaps) : whole;
      if (hasThreads) {
        // The stream is a copy, in order.
        whole.close();
        inputs = List.of(file);
      }
      long psb = PsbSearch.next(file, 0);
      if (psb < 0) {
        throw hasThreads || dump != null
            ? CannotGoOn.notFound(
                file.name() + " has no PSB, with which every decoding begins",
                gaps.list(),
                hasThreads
                    ? "name another thread, or record with a larger buffer"
                    : "record with a larger buffer")
            : refusal(path, file);
      }
      return new PtInput(
          hasThreads || dump != null ? file.name() : path.toString(),
          file,
          gaps,
          psb,
          dump,
          new StoppableWork<>(WorkPhase.ofBytes("reading " + path)));
    } catch (CannotGoOn e) {
      inputs.forEach(InputFile::close);
      if (dump != null) {
        dump.close();
      }
      throw e;
    }
  }

  /** Returns the stream of traces in a minidump. */
  private static InputFile ofDump(Path path, DumpRecording dump) {
    return dump.dump()
        .copy(StreamType.IPT_TRACE)
        .orElseThrow(() ->
            CannotGoOn.of(
                Reason.OTHER_KIND,
                path.toString(),
                path
                    + " has no Processor Trace: it has no stream 23, "
                    + StreamType.IPT_TRACE.title(),
                "ntrail stacks " + ShellWords.file(path)));
  }

  /** Puts the ring of a thread in order. */
  private static InputFile ofThread(Path path, InputFile file, OptionalLong thread, Gaps gaps) {
    List<IptThreadTrace> threads = IptTraceData.of(file, gaps).threads();
    List<IptThreadTrace> chosen =
        thread.isEmpty()
            ? threads
            : threads.stream().filter(of -> of.threadId() == thread.getAsLong()).toList();
    if (chosen.size() == 1) {
      return chosen.getFirst().inOrder(file);
    }
    if (threads.isEmpty()) {
      throw CannotGoOn.notFound(path + " has no trace of a thread", gaps.list(), "");
    }
    String ids =
        threads.stream()
            .limit(LISTED)
            .map(of -> Long.toString(of.threadId()))
            .collect(Collectors.joining(", "));
    String more = threads.size() > LISTED ? ", ..." : "";
    String which = thread.isEmpty() ? "" : ", of which not exactly one is " + thread.getAsLong();
    String next =
        "ntrail pt packets " + ShellWords.file(path) + " -t " + threads.getFirst().threadId();
    String message = path + " has traces of " + threads.size() + " threads: " + ids + more + which;
    throw CannotGoOn.notFound(message, gaps.list(), next);
  }

  private static boolean isStreamName(String name) {
    return name.toLowerCase(Locale.ROOT).matches(".*\\.(pt|bin|trace|dmp)");
  }

  private static CannotGoOn refusal(Path path, InputFile file) {
    String command = FileKind.of(file).command();
    return file.size() == 0
        ? CannotGoOn.of(Reason.EMPTY, file.name(), path + " is empty", "")
        : CannotGoOn.of(
            Reason.OTHER_KIND,
            file.name(),
            path + " is not a Processor Trace: it has no PSB, with which every decoding begins",
            command.isEmpty()
                ? "ntrail help formats"
                : "ntrail " + command + " " + ShellWords.file(path));
  }

  /**
   * Begins to read it.
   *
   * @param doing what is done with it: {@code reading the packets of}
   */
  void begin(String doing) {
    work.begin(WorkPhase.ofBytes(doing + " " + file.name()), file.size());
  }

  /** Tells how far reading came. Returns whether it is to end there. */
  boolean stopsAt(long offset) {
    if (offset - work.reached() < TOLD) {
      return false;
    }
    work.reached(offset);
    boolean isStopping = work.isStopping();
    if (isStopping) {
      work.stopped();
    }
    return isStopping;
  }

  /** Returns what could not be read, and the rest if reading was stopped. */
  List<Gap> allGaps(WorkProgress<WorkPhase> progress) {
    long read = work.stoppedAt().map(StoppableWork.Position::done).orElse(0L);
    return progress.gaps(gaps.list(), file.name(), read, file.size() - read);
  }

  /** Returns the exit code: whether all was read. */
  int exitCode() {
    return gaps.isEmpty() && work.stoppedAt().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  /** Notes the damage that a cursor stands on. */
  void note(PacketCursor damage) {
    note(damage.error(), damage.offset(), damage.length());
  }

  /** Notes bytes that are not packets. */
  void note(PacketError error, long offset, long length) {
    gaps.add(new Gap(file.name(), offset, length, "packets", error.text()));
  }

  @Override
  public void close() {
    file.close();
    if (dump != null) {
      dump.close();
    }
  }
}
