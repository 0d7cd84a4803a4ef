package io.ntrail.formats.dump.context;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.context.ContextKind.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Registers of a thread: a CONTEXT and the extended state after it. */
public final class ProcessorContext {
  /** Bits of ContextFlags that name architectures. */
  private static final int ARCHITECTURES = 0xFF_0000;

  /** CONTEXT_XSTATE without the bit of the architecture. */
  private static final long XSTATE = 0x40;

  /** CONTEXT_EXTENDED_REGISTERS of x86: the FXSAVE area is valid. */
  private static final long EXTENDED_REGISTERS = 0x20;

  /** Offset of XMM0 in an FXSAVE area. */
  private static final int XMM = 0xA0;

  private static final int CONTEXT_EX = 24;
  private static final int XSTATE_HEADER = 64;

  private final ContextKind kind;
  private final Bytes bytes;
  private final long flags;

  private ProcessorContext(ContextKind kind, Bytes bytes) {
    this.kind = kind;
    this.bytes = bytes;
    this.flags = bytes.u32(kind.flagsOffset());
  }

  /**
   * Reads the context of a thread: with the layout of the architecture, or of another one if size
   * and ContextFlags fit only that.
   *
   * @param bytes all that were stored for it
   * @return empty if no layout fits
   */
  public static Optional<ProcessorContext> read(Bytes bytes, ProcessorArchitecture architecture) {
    ContextKind expected = expected(architecture);
    if (expected != null && isOne(bytes, expected)) {
      return Optional.of(new ProcessorContext(expected, bytes));
    }
    if (expected == null && architecture != ProcessorArchitecture.UNKNOWN) {
      return Optional.empty();
    }
    for (ContextKind kind : List.of(ContextKind.X64, ContextKind.ARM64, ContextKind.X86)) {
      if (isOne(bytes, kind)) {
        return Optional.of(new ProcessorContext(kind, bytes));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns why bytes are no context of an architecture whose layout is known, as a clause; empty
   * if they are one, or nobody can tell.
   */
  public static String damage(Bytes bytes, ProcessorArchitecture architecture) {
    ContextKind expected = expected(architecture);
    if (expected == null) {
      return "";
    }
    Optional<ProcessorContext> found = read(bytes, architecture);
    if (found.isPresent()) {
      ContextKind kind = found.get().kind();
      return kind == expected
          ? ""
          : "they are those of %s; the dump is one of %s"
              .formatted(kind.architecture().word(), architecture.word());
    }
    return bytes.length() < expected.size()
        ? "%d bytes; a CONTEXT of %s has %d"
            .formatted(bytes.length(), architecture.word(), expected.size())
        : "no CONTEXT of %s: ContextFlags is 0x%x"
            .formatted(architecture.word(), bytes.u32(expected.flagsOffset()));
  }

  private static @Nullable ContextKind expected(ProcessorArchitecture architecture) {
    return switch (architecture) {
      case X86, X86_ON_X64, X86_ON_ARM64 -> ContextKind.X86;
      case X64 -> ContextKind.X64;
      case ARM64 -> ContextKind.ARM64;
      default -> null;
    };
  }

  private static boolean isOne(Bytes bytes, ContextKind kind) {
    return bytes.length() >= kind.size()
        && (bytes.i32(kind.flagsOffset()) & ARCHITECTURES) == kind.flagsBit();
  }

  /** Returns the layout. */
  public ContextKind kind() {
    return kind;
  }

  /** Returns ContextFlags. */
  public long flags() {
    return flags;
  }

  /** Returns all bytes that were stored. */
  public Bytes bytes() {
    return bytes;
  }

  /** Returns true if a group of registers was saved. */
  public boolean has(Group group) {
    return kind.has(flags, group);
  }

  /** Returns the registers that were saved, but for vectors, in the order of people. */
  public List<ContextRegister> registers() {
    List<ContextRegister> registers = new ArrayList<>();
    for (RegisterRow row : RegisterRow.of(kind)) {
      if (has(row.group())) {
        registers.add(new ContextRegister(row.name(), row.bytes(), value(row)));
      }
    }
    return registers;
  }

  /** Returns a register by its name in lower case; empty if there is none or it was not saved. */
  public OptionalLong register(String name) {
    for (RegisterRow row : RegisterRow.of(kind)) {
      if (row.name().equals(name)) {
        return has(row.group()) ? OptionalLong.of(value(row)) : OptionalLong.empty();
      }
    }
    return OptionalLong.empty();
  }

  /**
   * Returns a general register by the number that instructions encode; empty if it was not saved.
   */
  public OptionalLong general(int number) {
    for (RegisterRow row : RegisterRow.of(kind)) {
      if (row.number() == number) {
        return has(row.group()) ? OptionalLong.of(value(row)) : OptionalLong.empty();
      }
    }
    return OptionalLong.empty();
  }

  /** Returns the instruction pointer; empty if it was not saved. */
  public OptionalLong ip() {
    return register(
        switch (kind) {
          case X86 -> "eip";
          case X64 -> "rip";
          case ARM64 -> "pc";
        });
  }

  /** Returns the stack pointer; empty if it was not saved. */
  public OptionalLong sp() {
    return general(kind == ContextKind.ARM64 ? 31 : 4);
  }

  private long value(RegisterRow row) {
    return switch (row.bytes()) {
      case 2 -> bytes.u16(row.offset());
      case 4 -> bytes.u32(row.offset());
      default -> bytes.i64(row.offset());
    };
  }

  /**
   * Returns true if XMM registers were saved. Writers set the bit for floating point of x86 for the
   * x87 registers alone.
   */
  public boolean hasVectors() {
    return switch (kind) {
      case X64 -> has(Group.FLOATING_POINT);
      case X86 -> (flags & EXTENDED_REGISTERS) != 0;
      case ARM64 -> false;
    };
  }

  /** Returns bits 0 to 63 of an XMM register: 0 to 15 of x64, 0 to 7 of x86. */
  public long vectorLow(int number) {
    return bytes.i64(kind.fxsave() + XMM + 16 * number);
  }

  /** Returns bits 64 to 127 of an XMM register. */
  public long vectorHigh(int number) {
    return bytes.i64(kind.fxsave() + XMM + 16 * number + 8);
  }

  /**
   * Returns the extended state: CONTEXT_EX, which follows the CONTEXT, says where it is.
   *
   * @return empty if none was stored, or not all of its header
   */
  public Optional<ExtendedState> extended() {
    int at = kind.size();
    if (kind == ContextKind.ARM64 || (flags & XSTATE) == 0 || !bytes.has(at, CONTEXT_EX)) {
      return Optional.empty();
    }
    long area = at + (long) bytes.i32(at + 16);
    long length = Math.min(bytes.u32(at + 20), bytes.length() - area);
    if (area < at + CONTEXT_EX || length < XSTATE_HEADER) {
      return Optional.empty();
    }
    Bytes state = bytes.slice((int) area, (int) length);
    return Optional.of(new ExtendedState(state.i64(0), state.i64(8), state));
  }

  /**
   * Returns the state of the shadow stack; empty if it was not stored.
   *
   * @param layout of the dump
   */
  public Optional<ShadowStack> shadowStack(XStateLayout layout) {
    return extended()
        .flatMap(state -> state.component(XStateLayout.CET_USER, layout))
        .filter(state -> state.length() >= 16)
        .map(state -> new ShadowStack(state.i64(0), state.i64(8)));
  }
}
