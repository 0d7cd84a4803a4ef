package io.ntrail.testkit.code;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * objdump, which disassembles a whole file: strings are put into one, each with NOPs behind it so
 * that the next begins with an instruction whatever came before.
 */
public final class Objdump {
  /** Why a test is skipped where there is none. */
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

  /** Whether there is one; as {@link Oracle#available} with the word {@code objdump}. */
  public static boolean available() {
    return Oracle.available("objdump", "objdump");
  }

  /**
   * What it makes of the beginning of each string.
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
}
