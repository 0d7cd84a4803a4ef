package io.ntrail.analysis.input;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.dump.DumpKind;
import io.ntrail.formats.identity.FileSignature;
import java.nio.file.Path;

/**
 * Refusal of a file that is not the requested recording: its kind, and the command for it. Its
 * first bytes are copied, so that the file may be closed.
 */
final class Refusal {
  private static final String READABLE =
      "readable: .etl .ntr .jtrc .dmp, also in .zip .gz .cab .diagsession    see: ntrail help formats";

  private final InputFile input;
  private final String name;
  private final Bytes head;
  private final boolean isTrace;

  Refusal(InputFile input) {
    this.input = input;
    this.name = input.name();
    int length = (int) Math.min(FileSignature.HEAD, input.size());
    this.head = Bytes.copyOf(input.window(0, length).array(0, length), name);
    this.isTrace = length > 0 && FileKind.of(input) == FileKind.PT;
  }

  /** Returns the refusal of a file that was to be an ETW recording; the file may be closed. */
  CannotGoOn notARecording() {
    if (isTrace) {
      return CannotGoOn.of(
          Reason.OTHER_KIND,
          name,
          name + " is a stream of Intel Processor Trace",
          nextStep(FileSignature.UNKNOWN, READABLE));
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(4, head.length()); i++) {
      shown.append(i == 0 ? "" : " ");
      shown.append(Integer.toHexString(0x100 | head.u8(i)).substring(1));
    }
    FileSignature signature = FileSignature.of(head);
    if (signature == FileSignature.EMPTY_ZIP) {
      return CannotGoOn.of(Reason.EMPTY, name, name + " is " + signature.noun(), "");
    }
    String noun =
        signature == FileSignature.UNKNOWN
            ? ""
            : ", " + signature.noun() + (signature.isForeignArchive() ? ": unpack it first" : "");
    return CannotGoOn.of(
        Reason.OTHER_KIND,
        name,
        name
            + " is not a recording, or is truncated inside its header (it starts with "
            + shown
            + noun
            + ")",
        nextStep(signature, READABLE));
  }

  /** Returns the refusal of a file that was to be a call recording and is still open. */
  CannotGoOn notACallRecording(Path path) {
    if (head.length() == 0) {
      return CannotGoOn.of(Reason.EMPTY, name, path + " is empty", "");
    }
    if (FileSignature.of(head) == FileSignature.EMPTY_ZIP) {
      return CannotGoOn.of(Reason.EMPTY, name, path + " is " + FileSignature.EMPTY_ZIP.noun(), "");
    }
    String nextStep =
        FileKind.of(input) == FileKind.ETL
            ? "ntrail profile " + ShellWords.file(path) + " --tree"
            : nextStep(FileSignature.of(head), "readable: .ntr, .jtrc (NTrace)");
    return CannotGoOn.of(Reason.OTHER_KIND, name, path + " is not a call recording", nextStep);
  }

  /** Returns the refusal of a file that was to be a dump and is still open. */
  CannotGoOn notADump(Path path) {
    if (head.length() == 0) {
      return CannotGoOn.of(Reason.EMPTY, name, path + " is empty", "");
    }
    FileKind kind = FileKind.of(input);
    String readable = "readable: minidumps (.dmp, .mdmp), also in .zip .gz .cab";
    String nextStep =
        kind == FileKind.OTHER || kind.command().isEmpty() || name.contains("!/")
            ? readable
            : "ntrail " + kind.command() + " " + ShellWords.file(path);
    return CannotGoOn.of(Reason.OTHER_KIND, name, path + " is not a dump", nextStep);
  }

  /**
   * Returns the refusal of a dump that was asked for what dumps do not have.
   *
   * @param missing plural noun of that
   */
  CannotGoOn dumpWithout(String missing, Path path) {
    DumpKind kind = DumpKind.of(input);
    if (kind != DumpKind.MINIDUMP) {
      return kind.refusal(input);
    }
    return CannotGoOn.of(
        Reason.OTHER_KIND,
        path.toString(),
        path
            + " is a minidump: it has threads, modules and memory of one instant, and no "
            + missing,
        "ntrail stacks " + ShellWords.file(path));
  }

  /** Returns the command for such a file, if it can be named: a member of an archive cannot. */
  private String nextStep(FileSignature signature, String readable) {
    if (name.contains("!/")) {
      return readable;
    }
    return switch (signature) {
      case IMAGE -> "ntrail image " + ShellWords.file(name);
      case MSF_7 -> "ntrail symbols " + ShellWords.file(name);
      case MINIDUMP -> "ntrail stacks " + ShellWords.file(name);
      default -> isTrace ? "ntrail pt packets " + ShellWords.file(name) : readable;
    };
  }
}
