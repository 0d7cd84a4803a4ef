package io.ntrail.testkit.breakpad;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stacks as the stack walkers of Breakpad and rust-minidump print them for people.
 *
 * @param threads frames of each thread, innermost first, by its place in the list of threads
 */
public record StackwalkText(Map<Integer, List<Frame>> threads) {
  /**
   * A frame.
   *
   * @param name what is printed behind its number
   * @param registers by name, those that are printed
   * @param foundBy how it was found, in the words of the program
   */
  public record Frame(String name, Map<String, Long> registers, String foundBy) {}

  /** Returns the frames of a thread; none if the text has none of it. */
  public List<Frame> frames(int thread) {
    return threads.getOrDefault(thread, List.of());
  }

  private static final Pattern THREAD = Pattern.compile("Thread (\\d+)\\b.*");
  private static final Pattern FRAME = Pattern.compile(" ?(\\d+)  (.*)");
  private static final Pattern REGISTER = Pattern.compile("(\\w+) = 0x([0-9a-f]+)");
  private static final String FOUND_BY = "Found by: ";

  /** Reads such a text. */
  public static StackwalkText of(String text) {
    Map<Integer, List<Frame>> threads = new TreeMap<>();
    Optional<List<Frame>> frames = Optional.empty();
    String name = "";
    Map<String, Long> registers = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      Matcher thread = THREAD.matcher(line);
      Matcher frame = FRAME.matcher(line);
      if (thread.matches()) {
        frames = Optional.of(new ArrayList<>());
        threads.put(Integer.parseInt(thread.group(1)), frames.get());
      } else if (frames.isPresent() && frame.matches()) {
        name = frame.group(2);
        registers = new LinkedHashMap<>();
      } else if (frames.isPresent() && line.strip().startsWith(FOUND_BY)) {
        frames.get().add(new Frame(name, registers, line.strip().substring(FOUND_BY.length())));
      } else {
        Matcher register = REGISTER.matcher(line);
        while (register.find()) {
          registers.put(register.group(1), Long.parseLong(register.group(2), 16));
        }
      }
    }
    return new StackwalkText(threads);
  }
}
