package io.ntrail.live.selftest;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Program of the self-test for 64-bit Windows, generated here. The last character of its command
 * line, a {@link Mode}, says what it does; what it calls how often is known beforehand.
 *
 * <p>Its functions are exported, so that they have names without a PDB. {@code outer} calls {@code
 * leaf} three times; {@code catcher} calls {@code between}, which calls {@code thrower}, which
 * raises an exception that the handler of {@code catcher} takes.
 */
public final class SelfTestProgram {
  /** Threads of {@link Mode#WORK}. */
  public static final int THREADS = 4;

  /** Calls of {@code outer} by each thread. */
  public static final int OUTER = 1000;

  /** Calls of {@code leaf} by each call of {@code outer}. */
  public static final int LEAVES = 3;

  /** Calls of {@code catcher} by each thread. */
  public static final int CATCHES = 25;

  /** Code of the exceptions. */
  public static final int EXCEPTION = 0xE000_0042;

  /** Calls of the library's function. */
  public static final int LATE_CALLS = 500;

  /** Name of the library's function. */
  public static final String LATE = "late";

  /** Name of the file that ends a {@link Mode#WAIT waiting} program that has it in its folder. */
  public static final String STOP_FILE = "stop";

  /** Text that a waiting program writes when it begins. */
  public static final String READY = "ready";

  /** Text that a waiting program writes when it ends because of the file. */
  public static final String ENDED = "ended";

  /** Text of a program that forbade itself dynamic code, successfully. */
  public static final String FORBIDDEN = "dynamic code forbidden";

  /** Text of a program that could not forbid itself dynamic code. */
  public static final String NOT_FORBIDDEN = "dynamic code not forbidden";

  /** Text of a program that could not start its child. */
  public static final String NO_CHILD = "no child";

  /** Text of a program that has done its work. */
  public static final String DONE = "done";

  /** Line that {@link Mode#POLICIES} begins with: shows that it writes numbers well. */
  public static final String CHECK = "check=09af81be";

  /** Number in {@link #CHECK}. */
  static final int CHECK_NUMBER = 0x09AF_81BE;

  /** Policies that {@link Mode#POLICIES} queries, PROCESS_MITIGATION_POLICY of the system. */
  public enum Policy {
    DYNAMIC_CODE(2),
    CONTROL_FLOW_GUARD(7),
    BINARY_SIGNATURE(8),
    SHADOW_STACK(15);

    private final int number;

    Policy(int number) {
      this.number = number;
    }

    /** Returns the number of the system. */
    public int number() {
      return number;
    }
  }

  /** Mode of the program. */
  public enum Mode {
    /** Threads, calls, exceptions, a library that is loaded late; writes {@link #DONE}. */
    WORK('w', 7),
    /** Starts two children, one after the other: one works, one ends at once. */
    CHILDREN('c', 5),
    /** Starts a child for x86. */
    CHILD_X86('x', 6),
    /** Copies its input to its output. */
    COPY('r', 0),
    /** Writes a line for each policy: its number and its flags. */
    POLICIES('m', 0),
    /** Ends at once. */
    NOTHING('n', 3),
    /** Forbids itself dynamic code, then waits. */
    GUARDED('g', 9),
    /** Calls functions until a file is there, or {@link #LIFE_MILLIS} are over. */
    WAIT('e', 9);

    private final char letter;
    private final int exitCode;

    Mode(char letter, int exitCode) {
      this.letter = letter;
      this.exitCode = exitCode;
    }

    /** Returns the argument that asks for it. */
    public String word() {
      return String.valueOf(letter);
    }

    /** Returns the exit code. */
    public int exitCode() {
      return exitCode;
    }

    char letter() {
      return letter;
    }
  }

  /** Life of a waiting program in milliseconds: whoever started it may have been killed. */
  public static final int LIFE_MILLIS = 120_000;

  /** Bytes that it copies at once. */
  static final int COPIED = 4096;

  /** Label of {@link #CHECK}. */
  static final String CHECKED = "checked";

  private static final long BASE = 0x1_4000_0000L;
  private static final int IMAGE_DEBUG_TYPE_EX_DLLCHARACTERISTICS = 20;
  private static final int CET_COMPAT = 1;
  private static final String[] IMPORTS = {
    "CloseHandle",
    "CreateProcessW",
    "CreateThread",
    "ExitProcess",
    "GetCommandLineW",
    "GetFileAttributesW",
    "GetProcAddress",
    "GetProcessMitigationPolicy",
    "GetStdHandle",
    "GetTickCount64",
    "LoadLibraryW",
    "RaiseException",
    "ReadFile",
    "RtlUnwind",
    "SetProcessMitigationPolicy",
    "Sleep",
    "WaitForSingleObject",
    "WriteFile"
  };
  private static final List<String> TEXTS =
      List.of(READY, ENDED, FORBIDDEN, NOT_FORBIDDEN, NO_CHILD, DONE);

  private final ImageWriter writer;
  private final Assembler a;
  private final ProgramModes modes;
  private final CountedCalls calls;

  private SelfTestProgram(ImageWriter writer) {
    this.writer = writer;
    a = writer.a;
    calls = new CountedCalls(writer);
    modes = new ProgramModes(writer, calls);
  }

  /** Returns the content of its file, which is always the same. */
  public static byte[] file() {
    return file(false);
  }

  /** Returns a program that says of itself that it can run with a shadow stack (CET). */
  public static byte[] withShadowStack() {
    return file(true);
  }

  private static byte[] file(boolean cet) {
    List<String> names = new ArrayList<>(List.of("cells", "library", "late", "stop", "x86"));
    names.addAll(List.of("child, works", "child, nothing"));
    names.addAll(TEXTS);
    for (Policy policy : Policy.values()) {
      names.add(policy.name());
    }
    names.addAll(List.of("unknown", CHECKED));
    for (String name : IMPORTS) {
      names.add(ImageWriter.KERNEL + "!" + name);
    }
    return ImageWriter.file(
        BASE, () -> empty(cet), names, writer -> new SelfTestProgram(writer).write());
  }

  private static PeBuilder empty(boolean cet) {
    PeBuilder builder = ImageWriter.program().imports(ImageWriter.KERNEL, IMPORTS).entry("main");
    // The code lies in the first section, whatever is in the others.
    builder.code();
    builder.name("ntrail-selftest.exe");
    for (String text : TEXTS) {
      builder.constants().label(text).bytes(ascii(text + "\r\n\0"));
    }
    for (Policy policy : Policy.values()) {
      builder.constants().label(policy.name()).bytes(ascii(policy.number + "=\0"));
    }
    builder.constants().label(CHECKED).bytes(ascii("check=\0"));
    builder.constants().label("unknown").bytes(ascii("unknown\r\n\0"));
    builder.constants().label("late").bytes(ascii(LATE + "\0"));
    builder.constants().align(2).label("library").utf16(SelfTestImages.LIBRARY).u16(0);
    builder.constants().label("stop").utf16(STOP_FILE).u16(0);
    // The system writes into command lines.
    builder.data().align(16).label("cells").fill(COPIED, 0);
    String name = SelfTestImages.CHILD + " ";
    builder.data().label("child, works").utf16(name + Mode.WORK.letter).u16(0);
    builder.data().label("child, nothing").utf16(name + Mode.NOTHING.letter).u16(0);
    builder.data().label("x86").utf16(SelfTestImages.X86).u16(0);
    if (cet) {
      byte[] flags = {CET_COMPAT, 0, 0, 0};
      builder.debug(IMAGE_DEBUG_TYPE_EX_DLLCHARACTERISTICS, flags);
    }
    return builder;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void write() {
    main();
    calls.write();
    modes.write();
  }

  private void end(Mode mode) {
    a.mov(ECX, mode.exitCode).call(writer.imported("ExitProcess")).int3();
  }

  private void main() {
    Label toEnd = a.label("to the end");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(4).allocate(4, 0x28);
    writer.function(
        "main",
        a.label("main"),
        frame,
        () -> {
          a.sub(RSP, 0x28).call(writer.imported("GetCommandLineW"));
          a.bind(toEnd).add(RAX, 2).cmp(ptr(RAX).as16(), 0).jne(toEnd);
          a.movzx(EAX, ptr(RAX).plus(-2).as16());
          for (Mode mode : Mode.values()) {
            Label next = a.label("not " + mode);
            a.cmp(EAX, mode.letter).jne(next);
            modes.run(mode);
            end(mode);
            a.bind(next);
          }
          a.mov(ECX, 1).call(writer.imported("ExitProcess")).int3();
        });
  }
}
