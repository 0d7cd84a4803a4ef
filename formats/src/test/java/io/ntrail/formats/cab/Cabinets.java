package io.ntrail.formats.cab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads whole cabinets for tests. */
final class Cabinets {
  /** More than any file of a test has. */
  static final long NO_LIMIT = 1L << 32;

  private Cabinets() {}

  /** Result of unpacking a file. */
  static final class Unpacked {
    private final byte[] bytes;
    private final String damage;

    Unpacked(byte[] bytes, String damage) {
      this.bytes = bytes;
      this.damage = damage;
    }

    byte[] bytes() {
      return bytes;
    }

    /** Returns the reason why it ended early; empty if it did not. */
    String damage() {
      return damage;
    }
  }

  /**
   * Contents of a cabinet.
   *
   * @param refused names of files with the reason why they were not unpacked
   */
  record Contents(Map<String, Unpacked> files, Map<String, String> refused, List<Gap> gaps) {
    /** Returns the result of a file, damaged or not. */
    Unpacked file(String name) {
      Unpacked file = files.get(name);
      if (file == null) {
        throw new AssertionError(name + " is not among " + files.keySet());
      }
      return file;
    }

    /** All bytes of a file. */
    byte[] bytes(String name) {
      assertEquals("", file(name).damage, name);
      return file(name).bytes;
    }
  }

  static Contents contents(byte[] cabinet) {
    return contents(List.of(cabinet));
  }

  /** All files of a set. */
  static Contents contents(List<byte[]> cabinets) {
    List<InputFile> inputs = new ArrayList<>();
    for (byte[] cabinet : cabinets) {
      inputs.add(InputFile.of(cabinet, "made" + inputs.size() + ".cab"));
    }
    Gaps gaps = new Gaps();
    Map<String, Unpacked> files = new TreeMap<>();
    Map<String, String> refused = new TreeMap<>();
    try (Cabinet cabinet = Cabinet.open(inputs, gaps)) {
      for (CabinetFile file : cabinet.files()) {
        String refusal = cabinet.refusal(file);
        if (refusal.isEmpty()) {
          files.put(file.name(), unpack(cabinet, file));
        } else {
          refused.put(file.name(), refusal);
        }
      }
      return new Contents(files, refused, gaps.list());
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  static Unpacked unpack(Cabinet cabinet, CabinetFile file) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] chunk = new byte[10_000];
    try (InputStream in = cabinet.open(file, NO_LIMIT)) {
      for (int n; (n = in.read(chunk)) >= 0; ) {
        out.write(chunk, 0, n);
      }
      return new Unpacked(out.toByteArray(), "");
    } catch (DamagedInput e) {
      return new Unpacked(out.toByteArray(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
