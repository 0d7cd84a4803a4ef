package io.ntrail.live.agent;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Executable that owns standard streams on 32-bit systems: the twin of {@link StdioHelperImage},
 * whose section has the same content. The file has no relocations: a program is the first that gets
 * its base.
 */
final class StdioHelperImage32 {
  private static final long BASE = 0x40_0000L;
  private static final int PAGE = 0x1000;
  private static final int READ_WRITE = 4;
  private static final int ALL_ACCESS = 0xF001F;

  /** Offset of the process id in the thread environment block. */
  private static final int PROCESS_ID = 0x20;

  private StdioHelperImage32() {}

  /** Returns the content of its file, which is always the same. */
  static byte[] file() {
    // Where the imports lie does not depend on the code, as that fits into its page.
    PeBuilder.Built draft = image(new byte[1]);
    Map<String, Long> addresses = new HashMap<>();
    for (String name : StdioHelperImage.imports()) {
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
        PeBuilder.program(MachineType.I386)
            .base(BASE)
            .fixed()
            .imports("kernel32.dll", StdioHelperImage.imports());
    builder.code().label("main").bytes(code);
    return builder.entry("main").build();
  }

  private static byte[] code(Map<String, Long> addresses) {
    Assembler a = Assembler.ia32();
    Label toEnd = a.label("to the end");
    Label back = a.label("back to a space");
    Label sleep = a.label("sleep");
    a.push(EBX).call(imported(addresses, "GetCommandLineW")).mov(EBX, EAX);
    a.bind(toEnd).add(EAX, 2).cmp(ptr(EAX).plus(-2).as16(), 0).jne(toEnd);
    // In front of the NUL.
    a.sub(EAX, 2);
    a.bind(back).sub(EAX, 2).cmp(EAX, EBX).jbe(sleep).cmp(ptr(EAX).as16(), ' ').jne(back);
    a.add(EAX, 2).push(EAX).push(PAGE).push(0).push(READ_WRITE).push(0).push(-1);
    a.call(imported(addresses, "CreateFileMappingW"));
    a.push(0).push(0).push(0).push(ALL_ACCESS).push(EAX);
    a.call(imported(addresses, "MapViewOfFile")).test(EAX, EAX).jz(sleep).mov(EBX, EAX);
    for (int i = 0; i < 3; i++) {
      // The high halves are those of a new section: 0.
      a.push(-10 - i).call(imported(addresses, "GetStdHandle"));
      a.mov(ptr(EBX).plus(8 + 8L * i), EAX);
    }
    a.mov(EAX, fs(PROCESS_ID)).mov(ptr(EBX).plus(4), EAX).mov(ptr(EBX).as32(), 1);
    a.bind(sleep).push(StdioHelperImage.LIFE_MILLIS).call(imported(addresses, "Sleep"));
    a.xor(EAX, EAX).pop(EBX).ret();
    return a.assemble().bytesAt(BASE + PAGE);
  }

  private static Mem imported(Map<String, Long> addresses, String name) {
    return absolute(Objects.requireNonNull(addresses.get(name), name)).as32();
  }
}
