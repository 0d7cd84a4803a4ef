package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileSignature;

/** Kinds of dumps, of which minidumps are read and the others are known by name. */
public enum DumpKind {
  /** Dump of a process. */
  MINIDUMP,
  /** Dump of the kernel of 64-bit Windows ({@code PAGEDU64}). */
  KERNEL_64,
  /** Dump of the kernel of 32-bit Windows ({@code PAGEDUMP}). */
  KERNEL_32,
  /** Dump of a process as Windows NT and 2000 made them ({@code USERDUMP}). */
  OLD_USER,
  /** Hibernation file. */
  HIBERNATION,
  /** None of these. */
  OTHER;

  private static final int TYPE_64 = 0xF98;
  private static final int TYPE_32 = 0xF88;

  /** Returns the kind of a file by its first bytes. */
  public static DumpKind of(InputFile input) {
    return switch (FileSignature.of(input)) {
      case MINIDUMP -> MINIDUMP;
      case KERNEL_DUMP_64 -> KERNEL_64;
      case KERNEL_DUMP_32 -> KERNEL_32;
      case USER_DUMP -> OLD_USER;
      case HIBERNATION -> HIBERNATION;
      default -> OTHER;
    };
  }

  /** Returns the refusal of a dump that is not a minidump, with its kind. */
  public CannotGoOn refusal(InputFile input) {
    String noun =
        switch (this) {
          case KERNEL_64 -> kernel(input, TYPE_64) + " of 64-bit Windows";
          case KERNEL_32 -> kernel(input, TYPE_32) + " of 32-bit Windows";
          case OLD_USER -> "a dump of a process in the format of Windows NT and 2000";
          case HIBERNATION -> "a hibernation file";
          case MINIDUMP, OTHER -> FileSignature.of(input).noun();
        };
    boolean isKernel = this == KERNEL_64 || this == KERNEL_32;
    return CannotGoOn.of(
        Reason.OTHER_KIND,
        input.name(),
        input.name() + " is " + noun + (isKernel ? "; of dumps only minidumps are read" : ""),
        this == OTHER ? "" : "minidumps (MDMP) are read: those of WER, ProcDump or Task Manager");
  }

  private static String kernel(InputFile input, int typeOffset) {
    if (input.size() < typeOffset + 4) {
      return "a truncated kernel dump";
    }
    Bytes type = input.window(typeOffset, 4);
    return switch (type.i32(0)) {
      case 1 -> "a full kernel dump";
      case 2 -> "a kernel dump (summary)";
      case 3 -> "a kernel dump (header only)";
      case 4 -> "a small kernel dump (triage)";
      case 5 -> "a full kernel dump (bitmap)";
      case 6 -> "a kernel dump (bitmap)";
      case 7 -> "an automatic kernel dump";
      case 8, 9, 10 -> "a live kernel dump";
      default -> "a kernel dump";
    };
  }
}
