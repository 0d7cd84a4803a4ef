package io.ntrail.programs.x86.asm;

import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Has objdump read many instructions in one run. */
final class Disassembly {
  static final ExternalTool TOOL = ExternalTool.of("objdump", "objdump");

  private static final int SLOT = 32;
  private static final Pattern LINE =
      Pattern.compile("\\s*([0-9a-f]+):\\t([0-9a-f ]+?)\\s*\\t(.*)");

  private Disassembly() {}

  /**
   * The text of each instruction, without the comments that name addresses, and with the length
   * where that is not the instruction's.
   */
  static List<String> of(Path folder, boolean wide, List<byte[]> instructions)
      throws IOException, InterruptedException {
    // Each in a slot of its own, with nops after it.
    byte[] all = new byte[SLOT * instructions.size()];
    Arrays.fill(all, (byte) 0x90);
    for (int i = 0; i < instructions.size(); i++) {
      System.arraycopy(instructions.get(i), 0, all, SLOT * i, instructions.get(i).length);
    }
    Files.write(folder.resolve("code.bin"), all);
    ExternalTool.Outcome outcome =
        TOOL.run(
            folder,
            Map.of(),
            "-D",
            "-z",
            "-b",
            "binary",
            "-m",
            wide ? "i386:x86-64" : "i386",
            "-M",
            "intel",
            "--insn-width=16",
            "code.bin");
    Map<Integer, String> texts = new HashMap<>();
    for (String line : outcome.output().lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches()) {
        int at = Integer.parseInt(matcher.group(1), 16);
        int length = (matcher.group(2).trim().length() + 1) / 3;
        String text = matcher.group(3).replaceAll("\\s*#.*", "").replaceAll("\\s+", " ").trim();
        boolean whole = at % SLOT != 0 || length == instructions.get(at / SLOT).length;
        texts.put(at, whole ? text : text + " of " + length + " bytes");
      }
    }
    String[] result = new String[instructions.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = texts.getOrDefault(SLOT * i, "not read");
    }
    return List.of(result);
  }
}
