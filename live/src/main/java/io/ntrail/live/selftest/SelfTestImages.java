package io.ntrail.live.selftest;

import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.ArrayList;
import java.util.List;

/** Files of the self-test that are not the program: a library that it loads, programs for x86. */
public final class SelfTestImages {
  /** Name of the library, which the program loads while it runs. */
  public static final String LIBRARY = "ntrail-selftest-late.dll";

  /** Name of the child of the program. */
  public static final String CHILD = "ntrail-selftest-child.exe";

  /** Name of the child that is a program for x86. */
  public static final String X86 = "ntrail-selftest-x86.exe";

  /** The exit code of programs for x86. */
  public static final int X86_EXIT_CODE = 11;

  private static final int OTHERS = 200;
  private static final int STEP = 77;
  private static final long LIBRARY_BASE = 0x1_8000_0000L;

  private SelfTestImages() {}

  /** Returns the library, whose function {@code late} the program calls. */
  public static byte[] library() {
    return ImageWriter.file(
        LIBRARY_BASE,
        () -> PeBuilder.library(MachineType.AMD64).name(LIBRARY),
        List.of(),
        writer ->
            writer.leaf(
                SelfTestProgram.LATE,
                writer.a.label(SelfTestProgram.LATE),
                () -> writer.a.mov(EAX, ECX).add(EAX, 0x1234).xor(EAX, 0x77).ret()));
  }

  /**
   * Returns a library with two functions that have the names of functions that traces look for, and
   * as many others as make a small library.
   *
   * @param base its preferred address
   * @param name without its extension
   */
  public static byte[] systemLibrary(long base, String name) {
    return library(base, name, List.of("LdrFindEntryForAddress", "CreateFileW"), false);
  }

  /**
   * Returns a library with as many functions as make a small one, which have unwind information as
   * most functions have.
   *
   * @param base its preferred address
   * @param name without its extension
   */
  public static byte[] usualLibrary(long base, String name) {
    return library(base, name, List.of(), true);
  }

  private static byte[] library(long base, String name, List<String> first, boolean framed) {
    return ImageWriter.file(
        base,
        () ->
            PeBuilder.library(MachineType.AMD64)
                .name(name + ".dll")
                .pdb(new Guid(base, ~base), 1, name + ".pdb"),
        List.of(),
        writer -> {
          List<String> functions = new ArrayList<>(first);
          for (int i = 0; i < OTHERS; i++) {
            // Names in another order than addresses, as usual.
            functions.add("Other" + i * STEP % OTHERS);
          }
          for (String function : functions) {
            Label begin = writer.a.label(function);
            Runnable body = () -> writer.a.mov(EAX, ECX).add(EAX, 0x1234).xor(EAX, 0x77);
            if (framed) {
              writer.function(
                  function,
                  begin,
                  ImageWriter.small(),
                  () -> {
                    writer.enter();
                    body.run();
                    writer.leave();
                  });
            } else {
              writer.leaf(
                  function,
                  begin,
                  () -> {
                    body.run();
                    writer.a.ret();
                  });
            }
          }
        });
  }

  /**
   * Returns a program for x86.
   *
   * @param millis how long it sleeps
   */
  public static byte[] x86(int millis) {
    PeBuilder builder = PeBuilder.program(MachineType.I386);
    builder.imports(ImageWriter.KERNEL, "Sleep", "ExitProcess");
    builder.code().label("main");
    // push millis; call [Sleep]; push code; call [ExitProcess]
    builder.code().u8(0x68).u32(millis).code(0xFF, 0x15).address(ImageWriter.KERNEL + "!Sleep");
    builder.code().u8(0x68).u32(X86_EXIT_CODE).code(0xFF, 0x15);
    builder.code().address(ImageWriter.KERNEL + "!ExitProcess").code(0xCC);
    return builder.entry("main").build().file();
  }
}
