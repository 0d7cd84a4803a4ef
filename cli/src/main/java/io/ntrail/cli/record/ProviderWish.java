package io.ntrail.cli.record;

import io.ntrail.cli.common.UsageError;
import io.ntrail.live.etw.ClrRundown;
import io.ntrail.live.etw.EnableParameters;
import io.ntrail.live.etw.EnableParameters.Filter;
import io.ntrail.live.etw.ProviderRequest;
import io.ntrail.live.etw.StateCapture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Provider as an option asks for it: {@code NAME[:KEYWORDS[:LEVEL]]}, as xperf has it, and behind
 * that in any order {@code :stack}, {@code :stack=ID+ID}, {@code :id=ID+ID}, {@code :id!=ID+ID},
 * {@code :pid=PID+PID}, {@code :exe=NAME+NAME}, {@code :state} and {@code :state-at-start}.
 *
 * @param name or GUID; with a star in front, a name that its GUID follows from (EventSource)
 * @param level of detail, 0 to 255
 * @param keywords of which an event has to have one
 * @param properties what is recorded with each event
 * @param filters by which events are selected
 * @param capture when it is asked for its state
 * @param isStrict whether nothing is recorded where it cannot be had; else it is left out
 */
record ProviderWish(
    String name,
    int level,
    long keywords,
    int properties,
    List<Filter> filters,
    StateCapture capture,
    boolean isStrict) {
  private static final String OPTION = "--provider";
  private static final String EXAMPLE = OPTION + " Microsoft-Windows-DNS-Client:0xF:5:stack";

  /** Names of levels, from 1 on. */
  private static final List<String> LEVELS =
      List.of("critical", "error", "warning", "info", "verbose");

  /** GC, Loader, Jit, NGen, Contention, Exception. */
  private static final long DOTNET_KEYWORDS = 0xC039;

  private static final String STATE = "state";
  private static final String STATE_AT_START = "state-at-start";

  /** Windows' own limit of filters by event. */
  static final int MOST_IDS = 64;

  /** Keeps the list from changes. */
  ProviderWish {
    filters = List.copyOf(filters);
  }

  /** Makes one that is not asked for its state. */
  ProviderWish(String name, int level, long keywords, int properties, List<Filter> filters) {
    this(name, level, keywords, properties, filters, StateCapture.NONE, true);
  }

  /** Returns that for the names, collections and exceptions of .NET. */
  static ProviderWish dotnet() {
    return new ProviderWish(
        ClrRundown.RUNTIME.toString(), ProviderRequest.VERBOSE, DOTNET_KEYWORDS, 0, List.of());
  }

  /**
   * Reads one.
   *
   * @throws UsageError if it is none
   */
  static ProviderWish of(String text) {
    String[] parts = text.split(":", -1);
    if (parts[0].isBlank()) {
      throw new UsageError(OPTION + " needs a name or a GUID, not " + text, EXAMPLE);
    }
    int level = ProviderRequest.VERBOSE;
    long keywords = ProviderRequest.ALL_KEYWORDS;
    int properties = 0;
    List<Filter> filters = new ArrayList<>();
    Map<String, Optional<String>> states = new HashMap<>();
    int place = 0;
    for (String part : Arrays.asList(parts).subList(1, parts.length)) {
      int equals = part.indexOf('=');
      String word = equals < 0 ? part : part.substring(0, equals);
      if (word.equals(STATE) || word.equals(STATE_AT_START)) {
        states.put(word, equals < 0 ? Optional.empty() : Optional.of(part.substring(equals + 1)));
      } else if (part.equalsIgnoreCase("stack") || part.equals("'stack'")) {
        properties |= EnableParameters.STACKS;
      } else if (equals > 0) {
        properties |= part.startsWith("stack=") ? EnableParameters.STACKS : 0;
        filters.add(filter(part.substring(0, equals), part.substring(equals + 1), text));
      } else if (place == 0) {
        keywords = part.isEmpty() || part.equals("*") ? keywords : number(part, text);
        place++;
      } else if (place == 1) {
        level = part.isEmpty() ? level : level(part, text);
        place++;
      } else {
        throw new UsageError("%s %s: %s is not understood".formatted(OPTION, text, part), EXAMPLE);
      }
    }
    if (filters.stream().mapToInt(Filter::type).distinct().count() < filters.size()) {
      throw new UsageError(
          "%s %s: Windows takes one filter of a kind".formatted(OPTION, text),
          OPTION + " NAME:pid=4312+5020");
    }
    StateCapture capture =
        new StateCapture(
            false,
            state(STATE_AT_START, states, keywords, text),
            state(STATE, states, keywords, text));
    return new ProviderWish(parts[0], level, keywords, properties, filters, capture, true);
  }

  /** Returns the keywords of a state: those that are told, else the provider's. */
  private static OptionalLong state(
      String word, Map<String, Optional<String>> states, long keywords, String text) {
    return states.containsKey(word)
        ? OptionalLong.of(states.get(word).map(told -> number(told, text)).orElse(keywords))
        : OptionalLong.empty();
  }

  private static int level(String part, String text) {
    int named = LEVELS.indexOf(part.toLowerCase(Locale.ROOT));
    if (named >= 0) {
      return named + 1;
    }
    long level = number(part, text);
    if (level < 0 || level > 255) {
      throw new UsageError(
          "%s %s: a level is 0 to 255 or one of %s"
              .formatted(OPTION, text, String.join(", ", LEVELS)),
          EXAMPLE);
    }
    return (int) level;
  }

  private static Filter filter(String kind, String values, String text) {
    List<String> words = List.of(values.split("\\+", -1));
    return switch (kind) {
      case "id" -> Filter.events(true, ids(words, text));
      case "id!" -> Filter.events(false, ids(words, text));
      case "stack" -> Filter.stacks(true, ids(words, text));
      case "pid" -> processes(words, text);
      case "exe" -> programs(words, OPTION + " " + text);
      default ->
          throw new UsageError(
              "%s %s: filters are id=, id!=, stack=, pid=, exe=; and state".formatted(OPTION, text),
              OPTION + " Microsoft-Windows-DNS-Client:0xF:5:id=3006+3008");
    };
  }

  private static List<Integer> ids(List<String> words, String text) {
    List<Integer> ids = new ArrayList<>();
    for (String word : words) {
      long id = number(word, text);
      if (id < 0 || id > 0xFFFF) {
        throw new UsageError(
            "%s %s: %s is no id of an event".formatted(OPTION, text, word), EXAMPLE);
      }
      ids.add((int) id);
    }
    if (ids.size() > MOST_IDS) {
      throw new UsageError(
          "%s %s: Windows takes at most %d ids".formatted(OPTION, text, MOST_IDS), EXAMPLE);
    }
    return ids;
  }

  private static Filter processes(List<String> words, String text) {
    if (words.size() > EnableParameters.MOST_PROCESSES) {
      throw new UsageError(
          "%s %s: Windows takes at most %d processes"
              .formatted(OPTION, text, EnableParameters.MOST_PROCESSES),
          OPTION + " NAME:pid=4312+5020");
    }
    List<Integer> ids = new ArrayList<>();
    for (String word : words) {
      long id = number(word, text);
      if (id < 0 || id > 0xFFFF_FFFFL) {
        throw new UsageError(
            "%s %s: %s is no id of a process".formatted(OPTION, text, word), EXAMPLE);
      }
      ids.add((int) id);
    }
    return Filter.processes(ids);
  }

  /**
   * Returns the filter of programs.
   *
   * @param words names of their files
   * @param text where they are named
   * @throws UsageError if they are too long
   */
  static Filter programs(List<String> words, String text) {
    Filter filter = Filter.executables(words);
    if (filter.data().length > EnableParameters.MOST_BYTES) {
      throw new UsageError(
          "%s: Windows takes at most %d characters of names"
              .formatted(text, EnableParameters.MOST_BYTES / Character.BYTES - 1),
          OPTION + " NAME:exe=shop.exe+shopd.exe");
    }
    return filter;
  }

  /** Reads a number: 64 bits in hexadecimal with 0x, else decimal. */
  private static long number(String word, String text) {
    try {
      return word.regionMatches(true, 0, "0x", 0, 2)
          ? Long.parseUnsignedLong(word.substring(2), 16)
          : Long.parseUnsignedLong(word);
    } catch (NumberFormatException e) {
      throw new UsageError(
          "%s %s: %s is no number".formatted(OPTION, text, word.isEmpty() ? "nothing" : word),
          EXAMPLE);
    }
  }
}
