package io.ntrail.live.agent;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Executable that is started with the standard streams of ntrail itself, so that an agent, whose
 * own streams are the pipes of its protocol, can duplicate them for the target.
 *
 * <p>It makes a section whose name is the last word of its command line, of one page, and writes
 * there: u32 1 when the rest is there, u32 its process id, u64 each the handles of its standard
 * input, output and error output. Then it sleeps until it is ended, but not for ever: who started
 * it may have been killed.
 */
public final class StdioHelperImage {
  private static final long BASE = 0x1_4000_0000L;
  private static final String[] IMPORTS = {
    "CreateFileMappingW", "GetCommandLineW", "GetStdHandle", "MapViewOfFile", "Sleep"
  };
  private static final int PAGE = 4096;
  private static final int READ_WRITE = 4;
  static final int LIFE_MILLIS = 120_000;
  private static final int ALL_ACCESS = 0xF001F;

  private StdioHelperImage() {}

  /** Returns the functions of kernel32 that it calls. */
  static String[] imports() {
    return IMPORTS.clone();
  }

  /** Returns the content of its file, which is always the same. */
  public static byte[] file() {
    // Where the imports lie does not depend on the code, as that fits into its page.
    PeBuilder.Built draft = image(new byte[1]);
    Map<String, Long> addresses = new HashMap<>();
    for (String name : IMPORTS) {
      addresses.put(name, BASE + draft.rva("kernel32.dll!" + name));
    }
    byte[] code = code(addresses);
    if (code.length > PAGE) {
      throw new IllegalStateException("the code of the helper is longer than a page");
    }
    return image(code).file();
  }

  private static PeBuilder.Built image(byte[] code) {
    PeBuilder builder =
        PeBuilder.program(MachineType.AMD64).base(BASE).imports("kernel32.dll", IMPORTS);
    builder.code().label("main").bytes(code).label("end");
    builder.function("main", "end", UnwindInfoBuilder.prologue(4).allocate(4, 0x48));
    return builder.entry("main").build();
  }

  private static byte[] code(Map<String, Long> addresses) {
    Assembler a = Assembler.x64();
    Label toEnd = a.label("to the end");
    Label back = a.label("back to a space");
    Label sleep = a.label("sleep");
    a.sub(RSP, 0x48);
    a.call(imported(addresses, "GetCommandLineW")).mov(RBX, RAX);
    a.bind(toEnd).add(RAX, 2).cmp(ptr(RAX).plus(-2).as16(), 0).jne(toEnd);
    // In front of the NUL.
    a.sub(RAX, 2);
    a.bind(back).sub(RAX, 2).cmp(RAX, RBX).jbe(sleep).cmp(ptr(RAX).as16(), ' ').jne(back);
    a.add(RAX, 2).mov(ptr(RSP).plus(40), RAX).mov(ptr(RSP).plus(32).as64(), PAGE);
    a.mov(RCX, -1L).xor(EDX, EDX).mov(R8D, READ_WRITE).xor(R9D, R9D);
    a.call(imported(addresses, "CreateFileMappingW")).mov(RCX, RAX).mov(EDX, ALL_ACCESS);
    a.xor(R8D, R8D).xor(R9D, R9D).mov(ptr(RSP).plus(32).as64(), 0);
    a.call(imported(addresses, "MapViewOfFile")).test(RAX, RAX).jz(sleep).mov(RBX, RAX);
    for (int i = 0; i < 3; i++) {
      a.mov(ECX, -10 - i).call(imported(addresses, "GetStdHandle"));
      a.mov(ptr(RBX).plus(8 + 8L * i), RAX);
    }
    a.mov(EAX, gs(0x40)).mov(ptr(RBX).plus(4), EAX).mov(ptr(RBX).as32(), 1);
    a.bind(sleep).mov(ECX, LIFE_MILLIS).call(imported(addresses, "Sleep"));
    a.add(RSP, 0x48).ret();
    return a.assemble().bytesAt(BASE + PAGE);
  }

  private static Mem imported(Map<String, Long> addresses, String name) {
    return Mem.rip(Objects.requireNonNull(addresses.get(name), name)).as64();
  }
}
