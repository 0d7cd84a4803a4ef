package io.ntrail.cli.pt;

import io.ntrail.analysis.input.FileKind;
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
 */
record PtInput(InputFile file, Gaps gaps, long firstPsb) implements AutoCloseable {
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
      return new PtInput(file, gaps, psb);
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
