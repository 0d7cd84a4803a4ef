package io.ntrail.testkit.pt;

import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.Oracle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Intel's decoder, through {@code libipt.c}. */
public final class Libipt {
  /** Reason to skip a test without it. */
  public static final String MISSING = "libipt not found: needs gcc, libipt-dev";

  private final Path folder;
  private final Path program;

  /**
   * Flow that it finds.
   *
   * @param addresses of all instructions, in order
   * @param errors a line for each
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Flow(long[] addresses, List<String> errors) {}

  private Libipt(Path folder, Path program) {
    this.folder = folder;
    this.program = program;
  }

  /**
   * Compiles the program into a folder.
   *
   * @return empty if that cannot be done on this machine
   * @throws IllegalStateException if it cannot and {@code NTRAIL_REQUIRE} demands {@code libipt}
   */
  public static Optional<Libipt> in(Path folder) throws IOException {
    Optional<Path> program =
        Oracle.available("gcc", "libipt")
            ? Oracle.compile(Libipt.class, folder, "libipt.c", "ipt")
            : Optional.empty();
    if (program.isEmpty() && TestData.required("libipt")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands libipt: " + MISSING);
    }
    return program.map(path -> new Libipt(folder, path));
  }

  /** The compiled program, for benchmarks. */
  public Path program() {
    return program;
  }

  /**
   * Decodes a stream.
   *
   * @param base address of the code
   */
  public Flow flow(byte[] stream, byte[] code, long base) throws IOException {
    Path in = Files.write(folder.resolve("stream.pt"), stream);
    Path image = Files.write(folder.resolve("stream.code"), code);
    Path out = folder.resolve("stream.addresses");
    String errors =
        Oracle.run(
            folder,
            program.toString(),
            "flow",
            in.toString(),
            image.toString(),
            Long.toHexString(base),
            out.toString());
    ByteBuffer found = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.LITTLE_ENDIAN);
    long[] addresses = new long[found.remaining() / 8];
    found.asLongBuffer().get(addresses);
    return new Flow(addresses, errors.lines().toList());
  }
}
