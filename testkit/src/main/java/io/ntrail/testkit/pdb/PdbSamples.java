package io.ntrail.testkit.pdb;

import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.Tsv;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The shared PDBs, by group and name, for example {@code sentry/crash.pdb}, with the table of what
 * an independent reader counted in each, and the texts that outside tools printed.
 */
public final class PdbSamples {
  /** Unpacks what the folder has as {@code .xz}. */
  public static final ExternalTool XZ = ExternalTool.of("xz", "xz");

  private static final int MSZIP_WINDOW = 32_768;

  private PdbSamples() {}

  /** Returns true if the folder is there and can be unpacked; for {@code @EnabledIf}. */
  public static boolean present() {
    return TestData.available() && XZ.available();
  }

  /** The rows of {@code files.tsv}; the column {@code file} is what {@link #bytes} takes. */
  public static List<Map<String, String>> files() {
    try {
      return Tsv.rows("pdb/files.tsv");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file, unpacked; the name with or without {@code .gz} or {@code .xz}. */
  public static byte[] bytes(String name) {
    String plain = name.replaceAll("\\.(gz|xz)$", "");
    Path folder = TestData.file("pdb");
    try {
      if (Files.exists(folder.resolve(plain + ".gz"))) {
        return TestData.gunzip("pdb/" + plain + ".gz");
      }
      if (Files.exists(folder.resolve(plain + ".xz"))) {
        return unxz(folder.resolve(plain + ".xz"));
      }
      if (plain.endsWith(".pdb")) {
        return cabinet(TestData.file("pdb/" + plain.replaceAll("b$", "_")));
      }
      return Files.readAllBytes(TestData.file("pdb/" + plain));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The lines of a text, unpacked, for example {@code sentry/crash.sym}. */
  public static List<String> lines(String name) {
    return new String(bytes(name), StandardCharsets.UTF_8).lines().toList();
  }

  /** Returns the output of a tool, for example {@code sentry_crash.publics.txt}. */
  public static List<String> truth(String name) {
    return lines("truth/" + name);
  }

  private static byte[] unxz(Path file) throws IOException {
    try {
      ExternalTool.Outcome outcome =
          XZ.run(Path.of("").toAbsolutePath(), Map.of(), "-dc", file.toString());
      if (outcome.exitCode() != 0) {
        throw new IOException(file + ": " + outcome.errors());
      }
      return outcome.output().getBytes(StandardCharsets.ISO_8859_1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** The one file of a cabinet that was packed with MSZIP: blocks that share a window. */
  private static byte[] cabinet(Path file) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int folder = 36;
    int at = in.getInt(folder);
    int blocks = in.getShort(folder + 4) & 0xFFFF;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] window = {};
    for (int i = 0; i < blocks; i++) {
      int packed = in.getShort(at + 4) & 0xFFFF;
      byte[] block = new byte[in.getShort(at + 6) & 0xFFFF];
      Inflater inflater = new Inflater(true);
      try {
        inflater.setInput(in.array(), at + 8 + 2, packed - 2);
        if (window.length > 0) {
          inflater.setDictionary(window);
        }
        for (int done = 0; done < block.length; ) {
          int n = inflater.inflate(block, done, block.length - done);
          if (n == 0) {
            throw new IOException(file + ": block " + i + " is too short");
          }
          done += n;
        }
      } catch (DataFormatException e) {
        throw new IOException(file + ": block " + i, e);
      } finally {
        inflater.end();
      }
      out.write(block);
      window = block.length <= MSZIP_WINDOW ? block : new byte[0];
      at += 8 + packed;
    }
    return out.toByteArray();
  }
}
