package io.ntrail.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** LLDB, as a reader of dumps that unwinds by itself. */
public final class Lldb {
  /** Debian 12 has this version. */
  public static final ExternalTool TOOL = ExternalTool.of("lldb", "lldb-14", "lldb");

  private static final Pattern ID = Pattern.compile("THREAD ([0-9]+) (0x[0-9a-f]+)");
  private static final Pattern THREAD = Pattern.compile("thread #([0-9]+)");
  private static final Pattern FRAME = Pattern.compile("FRAME (0x[0-9a-f]+)");

  /** Frames of one thread: where it goes astray it may never end. */
  private static final int MOST_FRAMES = 200;

  private Lldb() {}

  /**
   * Returns the instruction pointers of all frames by thread, innermost first, as LLDB unwinds the
   * threads of a dump.
   *
   * @param images folder of the images that are named in it; best without debug information, as
   *     LLDB shows inlined functions as frames
   * @throws IllegalStateException if it does not read the dump
   */
  public static Map<Integer, List<Long>> frames(Path dump, Path images)
      throws IOException, InterruptedException {
    ExternalTool.Outcome outcome =
        TOOL.run(
            Path.of("."),
            Map.of("LC_ALL", "C"),
            "--batch",
            "--no-lldbinit",
            "-o",
            "settings set target.exec-search-paths " + images,
            "-o",
            "settings set thread-format \"THREAD ${thread.index} ${thread.id}\\n\"",
            "-o",
            "settings set frame-format \"FRAME ${frame.pc}\\n\"",
            "-o",
            "target create --core " + dump,
            "-o",
            "thread list",
            "-o",
            "thread backtrace -c " + MOST_FRAMES + " all");
    if (!outcome.output().contains("was loaded")) {
      throw new IllegalStateException(outcome.output() + outcome.errors());
    }
    Map<String, Integer> ids = new HashMap<>();
    Map<Integer, List<Long>> threads = new LinkedHashMap<>();
    List<Long> frames = new ArrayList<>();
    for (String line : outcome.output().lines().toList()) {
      Matcher id = ID.matcher(line);
      Matcher thread = THREAD.matcher(line);
      Matcher frame = FRAME.matcher(line);
      if (id.find()) {
        ids.put(id.group(1), Integer.decode(id.group(2)));
      } else if (thread.find()) {
        frames = new ArrayList<>();
        threads.put(ids.getOrDefault(thread.group(1), 0), frames);
      } else if (frame.find()) {
        frames.add(Long.parseUnsignedLong(frame.group(1).substring(2), 16));
      }
    }
    return threads;
  }
}
