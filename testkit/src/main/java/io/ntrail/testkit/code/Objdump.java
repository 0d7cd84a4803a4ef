package io.ntrail.testkit.code;

import io.ntrail.testkit.LittleEndian;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * objdump, which disassembles a whole file: strings are put into one, each with NOPs after it so
 * that the next begins with an instruction whatever came before.
 */
public final class Objdump {
  /** Reason to skip a test without it. */
  public static final String MISSING = "objdump not found: needs binutils";

  private static final int PADDING = 16;
  private static final byte NOP = (byte) 0x90;
  private static final Pattern LINE =
      Pattern.compile("\\s*([0-9a-f]+):\\s+((?:[0-9a-f]{2} )+)\\s*(.*)");

  private Objdump() {}

  /**
   * The first instruction of a string.
   *
   * @param length its length in bytes
   * @param text its text; {@code (bad)} in it if it is none
   */
  public record Line(int length, String text) {}

  /** Returns true if there is one; as {@link Oracle#available} with the word {@code objdump}. */
  public static boolean available() {
    return Oracle.available("objdump", "objdump");
  }

  /**
   * Returns the first line that it prints for each string.
   *
   * @param machine the machine for {@code -m}: i8086, i386 or i386:x86-64
   */
  public static Line[] first(Path folder, String machine, byte[][] strings) throws IOException {
    int slot = strings[0].length + PADDING;
    byte[] file = new byte[slot * strings.length];
    Arrays.fill(file, NOP);
    for (int i = 0; i < strings.length; i++) {
      System.arraycopy(strings[i], 0, file, i * slot, strings[i].length);
    }
    Path input = folder.resolve("strings.bin");
    Files.write(input, file);
    String text =
        Oracle.run(
            folder,
            "objdump",
            "-D",
            "-b",
            "binary",
            "-m",
            machine,
            "-M",
            "intel",
            "--insn-width=16",
            input.toString());
    Map<Integer, Line> lines = new HashMap<>();
    text.lines()
        .forEach(line -> {
          Matcher matcher = LINE.matcher(line);
          if (matcher.matches()) {
            lines.put(
                Integer.parseInt(matcher.group(1), 16),
                new Line(matcher.group(2).length() / 3, matcher.group(3).trim()));
          }
        });
    Line[] first = new Line[strings.length];
    for (int i = 0; i < strings.length; i++) {
      first[i] = lines.getOrDefault(i * slot, new Line(0, "(not printed)"));
    }
    return first;
  }

  /** Takes instructions. */
  @FunctionalInterface
  public interface Sink {
    /**
     * An instruction, or {@code (bad)}.
     *
     * @param at where it begins among the bytes of the chunks
     * @param end where its chunk ends there
     * @param length up to the next line
     * @param address what addresses in the text are relative to
     */
    void instruction(int at, int end, int length, int address, String text);
  }

  /**
   * All instructions of all chunks one after the other. What crosses the end of its chunk is left
   * out.
   */
  public static void sweep(Path folder, String machine, CodeChunks chunks, Sink sink)
      throws IOException {
    LittleEndian file = new LittleEndian((int) chunks.size() + PADDING * chunks.count());
    int[] starts = new int[chunks.count()];
    byte[] nops = new byte[PADDING];
    Arrays.fill(nops, NOP);
    int size = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = size;
      int from = chunks.offsets()[i];
      file.bytes(Arrays.copyOfRange(chunks.bytes(), from, from + chunks.lengths()[i])).bytes(nops);
      size += chunks.lengths()[i] + PADDING;
    }
    Path input = folder.resolve("chunks.bin");
    Files.write(input, file.toByteArray());
    Process process =
        new ProcessBuilder(
                "objdump",
                "-D",
                "-z",
                "-b",
                "binary",
                "-m",
                machine,
                "-M",
                "intel",
                "--no-show-raw-insn",
                input.toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      int chunk = 0;
      int before = -1;
      String text = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int colon = line.indexOf(":\t");
        if (colon < 0) {
          continue;
        }
        int address = Integer.parseInt(line.substring(0, colon).trim(), 16);
        // The last chunk has padding after it, so that its last instruction has a next line.
        while (before >= 0 && chunk + 1 < starts.length && starts[chunk + 1] <= before) {
          chunk++;
        }
        int inChunk = before < 0 ? -1 : before - starts[chunk];
        int length = address - before;
        if (inChunk >= 0 && inChunk + length <= chunks.lengths()[chunk]) {
          int offset = chunks.offsets()[chunk];
          sink.instruction(
              offset + inChunk, offset + chunks.lengths()[chunk], length, before, text);
        }
        before = address;
        text = line.substring(colon + 2).trim();
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
