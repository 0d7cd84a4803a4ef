package io.ntrail.cli.pt;

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
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PsbSearch;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * One stream, and what of it could not be read.
 *
 * @param file the stream
 * @param gaps grows while it is read
 * @param firstPsb offset of the first PSB
 * @param work how much of it was read, and whether that was stopped
 */
record PtInput(InputFile file, Gaps gaps, long firstPsb, StoppableWork<WorkPhase> work)
    implements AutoCloseable {
  /** Bytes that are told to the progress together. */
  private static final int TOLD = 1 << 12;

  /**
   * Opens a stream, plain or packed.
   *
   * @throws CannotGoOn if there is none, or several, or no PSB is in it
   */
  static PtInput open(Path path) {
    Gaps gaps = new Gaps();
    MemberChoice streams = MemberChoice.of(PtInput::isStreamName, _ -> {});
    List<InputFile> inputs = Archives.open(path, streams, gaps);
    try {
      if (inputs.size() != 1) {
        throw new CannotGoOn(
            path + " holds " + inputs.size() + " streams", "unpack it, and name one of them");
      }
      InputFile file = inputs.getFirst();
      long psb = PsbSearch.next(file, 0);
      if (psb < 0) {
        throw refusal(path, file);
      }
      return new PtInput(
          file, gaps, psb, new StoppableWork<>(WorkPhase.ofBytes("reading " + path)));
    } catch (CannotGoOn e) {
      inputs.forEach(InputFile::close);
      throw e;
    }
  }

  private static boolean isStreamName(String name) {
    return name.toLowerCase(Locale.ROOT).matches(".*\\.(pt|bin|trace)");
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
  }
}
