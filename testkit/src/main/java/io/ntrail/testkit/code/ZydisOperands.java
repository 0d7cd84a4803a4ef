package io.ntrail.testkit.code;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Operands, effects and text from Zydis, through {@code zydis-operands.c}. */
public final class ZydisOperands {
  private final Path folder;
  private final Path program;

  private ZydisOperands(Path folder, Path program) {
    this.folder = folder;
    this.program = program;
  }

  /**
   * Compiles the program into a folder.
   *
   * @return empty if that cannot be done on this machine; {@link Zydis#in} tells whether it must
   */
  public static Optional<ZydisOperands> in(Path folder) throws IOException {
    return Oracle.compile(folder, "zydis-operands.c", "Zydis", "Zycore")
        .map(path -> new ZydisOperands(folder, path));
  }

  /**
   * A line for each instruction of each chunk, as the source describes it.
   *
   * @param what {@code sweep} for all instructions, {@code first} for the first of each chunk
   */
  public BufferedReader lines(int bits, String what, CodeChunks chunks) throws IOException {
    Path in = folder.resolve("operands-code");
    Path out = folder.resolve("operands-seen");
    chunks.write(in);
    Oracle.run(
        folder, program.toString(), Integer.toString(bits), what, in.toString(), out.toString());
    return Files.newBufferedReader(out, StandardCharsets.US_ASCII);
  }
}
