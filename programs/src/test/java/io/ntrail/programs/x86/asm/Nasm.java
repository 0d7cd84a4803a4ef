package io.ntrail.programs.x86.asm;

import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Has nasm assemble many instructions in one run. */
final class Nasm {
  static final ExternalTool TOOL = ExternalTool.of("nasm", "nasm");

  private static final Pattern ERROR =
      Pattern.compile("(?m)^(?:panic: )?lines.asm:(\\d+): (?:error: )?(.*)$");
  private static final int HEADER_LINES = 2;

  /** Some lines end its run, so that it says nothing about those after. */
  private static final int ROUNDS = 60;

  private Nasm() {}

  /**
   * Result of one line.
   *
   * @param address where it lies
   * @param bytes what it is; empty if refused
   * @param error why it was refused, or empty
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Line(long address, byte[] bytes, String error) {}

  static List<Line> assemble(Path folder, boolean wide, long base, List<String> lines)
      throws IOException, InterruptedException {
    String[] errors = new String[lines.size()];
    Arrays.fill(errors, "");
    Path source = folder.resolve("lines.asm");
    Path binary = folder.resolve("lines.bin");
    // Labels mark the start of each line; the last lines of the file are their offsets.
    for (int round = 0; round < ROUNDS; round++) {
      List<String> text = new ArrayList<>();
      text.add("bits " + (wide ? 64 : 32));
      text.add("org " + base);
      for (int i = 0; i < lines.size(); i++) {
        text.add("i" + i + ": " + (errors[i].isEmpty() ? lines.get(i) : ""));
      }
      text.add("end:");
      for (int i = 0; i < lines.size(); i++) {
        text.add("dd i" + i + " - $$");
      }
      text.add("dd end - $$");
      Files.write(source, text);
      ExternalTool.Outcome outcome =
          TOOL.run(folder, Map.of(), "-f", "bin", "-w-all", "-o", "lines.bin", "lines.asm");
      if (outcome.exitCode() == 0) {
        return read(Files.readAllBytes(binary), base, errors);
      }
      Matcher error = ERROR.matcher(outcome.errors());
      TreeSet<Integer> refused = new TreeSet<>();
      while (error.find()) {
        int index = Integer.parseInt(error.group(1)) - HEADER_LINES - 1;
        if (index < 0 || index >= lines.size()) {
          continue;
        }
        errors[index] = error.group(2);
        refused.add(index);
      }
      if (refused.isEmpty()) {
        throw new IllegalStateException(outcome.errors());
      }
    }
    throw new IllegalStateException("still refused after many rounds");
  }

  private static List<Line> read(byte[] all, long base, String[] errors) {
    ByteBuffer table = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    int start = all.length - 4 * (errors.length + 1);
    List<Line> result = new ArrayList<>();
    for (int i = 0; i < errors.length; i++) {
      int from = table.getInt(start + 4 * i);
      int to = table.getInt(start + 4 * i + 4);
      result.add(new Line(base + from, Arrays.copyOfRange(all, from, to), errors[i]));
    }
    return result;
  }
}
