package io.ntrail.analysis.input;

import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.collapsed.CollapsedReader;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.identity.FileSignature;
import io.ntrail.formats.jtrc.JtrcHeader;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.pt.IptTraceData;
import io.ntrail.formats.pt.PsbSearch;
import org.jspecify.annotations.Nullable;

/** Kinds of files as far as commands differ: recordings, and other files that ntrail reads. */
public enum FileKind {
  /** ETW recording with a whole header. */
  ETL(RecordingKind.ETW, "info"),
  /** Call recording of NTrace. */
  JTRC(RecordingKind.CALLS, "calls"),
  /** Call recording of ntrail. */
  NTR(RecordingKind.CALLS, "calls"),
  /** Collapsed stacks. */
  COLLAPSED(RecordingKind.COLLAPSED, ""),
  /** Dump of a process, which is read, or of a kernel, which is known by name. */
  DUMP(RecordingKind.DUMP, "stacks"),
  /** PE image. */
  IMAGE(null, "image"),
  /** PDB of the version that is read. */
  PDB(null, "symbols"),
  /** Stream of Intel Processor Trace. */
  PT(null, "pt packets"),
  /** None of these; {@link FileSignature} may know more. */
  OTHER(null, "");

  private final @Nullable RecordingKind recording;
  private final String command;

  FileKind(@Nullable RecordingKind recording, String command) {
    this.recording = recording;
    this.command = command;
  }

  /**
   * Returns the kind of a file, from its first bytes. The order matters: later checks accept more,
   * and the text at the start of a PDB could be a stack with its weight. An ETW recording whose
   * header is destroyed is {@link #OTHER}: only reading it shows what it is.
   */
  public static FileKind of(InputFile input) {
    FileSignature signature = FileSignature.of(input);
    if (signature == FileSignature.MSF_7) {
      return PDB;
    }
    if (EtlFile.looksLikeRecording(input)) {
      return ETL;
    }
    if (signature == FileSignature.IMAGE && hasZero(input)) {
      return IMAGE;
    }
    if (JtrcHeader.looksLike(input)) {
      return JTRC;
    }
    if (NtrFile.looksLikeRecording(input)) {
      return NTR;
    }
    if (CollapsedReader.looksLike(input)) {
      return COLLAPSED;
    }
    return switch (signature) {
      case IMAGE -> IMAGE;
      case MINIDUMP, KERNEL_DUMP_64, KERNEL_DUMP_32, USER_DUMP -> DUMP;
      case UNKNOWN -> PsbSearch.isNear(input) || IptTraceData.looksLike(input) ? PT : OTHER;
      default -> OTHER;
    };
  }

  /** Returns true if there is a zero among the first bytes, as in no line of stacks. */
  private static boolean hasZero(InputFile input) {
    Bytes head = input.window(0, (int) Math.min(FileSignature.HEAD, input.size()));
    for (int i = 0; i < head.length(); i++) {
      if (head.u8(i) == 0) {
        return true;
      }
    }
    return false;
  }

  /** Kind of the recording that such a file holds; null if it is not one that can be opened. */
  public @Nullable RecordingKind recording() {
    return recording;
  }

  /** Command for such a file; empty if there is none. */
  public String command() {
    return command;
  }
}
