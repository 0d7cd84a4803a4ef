package io.ntrail.testkit.code;

import io.ntrail.testkit.TestData;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Zydis, through {@code zydis.c}. */
public final class Zydis {
  /** Reason to skip a test without it. */
  public static final String MISSING = "Zydis not found: needs gcc, libzydis-dev";

  private final Path folder;
  private final Path program;

  private Zydis(Path folder, Path program) {
    this.folder = folder;
    this.program = program;
  }

  /**
   * Compiles the program into a folder.
   *
   * @return empty if that cannot be done on this machine
   * @throws IllegalStateException if it cannot and {@code NTRAIL_REQUIRE} demands {@code zydis}
   */
  public static Optional<Zydis> in(Path folder) throws IOException {
    Optional<Path> program =
        Oracle.available("gcc", "zydis")
            ? Oracle.compile(folder, "zydis.c", "Zydis", "Zycore")
            : Optional.empty();
    if (program.isEmpty() && TestData.required("zydis")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands zydis: " + MISSING);
    }
    return program.map(path -> new Zydis(folder, path));
  }

  /** The compiled program, for benchmarks. */
  public Path program() {
    return program;
  }

  /** The names of mnemonics, by number. */
  public List<String> names() throws IOException {
    return Oracle.run(folder, program.toString(), "names").lines().toList();
  }

  /**
   * All instructions of all chunks one after the other: length (0: none; continues with the next
   * byte), class as a letter, number of the mnemonic; 8, 8 and 16 bits.
   */
  public int[] sweep(int bits, CodeChunks chunks) throws IOException {
    return rows(bits, "sweep", chunks);
  }

  /** Returns the length of the first instruction of each chunk. */
  public int[] first(int bits, CodeChunks chunks) throws IOException {
    return rows(bits, "first", chunks);
  }

  /**
   * A line for each instruction of each chunk with operands, effects and text, as the source
   * describes it.
   *
   * @param what {@code sweep} for all instructions, {@code first} for the first of each chunk
   */
  public BufferedReader lines(int bits, String what, CodeChunks chunks) throws IOException {
    return Files.newBufferedReader(
        run(bits, what + "-operands", chunks), StandardCharsets.US_ASCII);
  }

  private int[] rows(int bits, String what, CodeChunks chunks) throws IOException {
    byte[] rows = Files.readAllBytes(run(bits, what, chunks));
    int[] seen = new int[rows.length / 4];
    for (int i = 0; i < seen.length; i++) {
      seen[i] =
          rows[4 * i] & 0xFF
              | (rows[4 * i + 1] & 0xFF) << 8
              | (rows[4 * i + 2] & 0xFF) << 16
              | rows[4 * i + 3] << 24;
    }
    return seen;
  }

  /** Runs the program and returns the file that it writes. */
  private Path run(int bits, String what, CodeChunks chunks) throws IOException {
    Path in = folder.resolve("code");
    Path out = folder.resolve("seen");
    chunks.write(in);
    Oracle.run(
        folder, program.toString(), Integer.toString(bits), what, in.toString(), out.toString());
    return out;
  }
}
