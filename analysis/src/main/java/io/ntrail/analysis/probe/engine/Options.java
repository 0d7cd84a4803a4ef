package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.BarStyle;
import io.ntrail.analysis.probe.aggregation.EntryOrder;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Options of a program, as pragmas, setopt() and the command line set them. */
public final class Options {
  private static final Map<String, Kind> KINDS = kinds();

  private final Map<String, Long> values = new TreeMap<>();

  /** Bytes that a program may ask for at most: a quarter of what there is. */
  private static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / 4;

  /** Values above which memory would have no bound. */
  private static final Map<String, Long> MOST =
      Map.of("strsize", 1L << 16, "nspec", 1L << 16, "stackframes", 1024L, "ustackframes", 1024L);

  private enum Kind {
    FLAG,
    NUMBER,
    SIZE,
    RATE,
    ENCODING,
    WORD
  }

  private static final long ASCII = 1;
  private static final long UTF8 = 2;

  /** Options with the values that they have unless something sets them. */
  public Options() {
    values.put("strsize", 256L);
    values.put("nspec", 1L);
    values.put("bufsize", 4L << 20);
    values.put("specsize", 32L << 10);
    values.put("stackframes", 20L);
    values.put("ustackframes", 20L);
    values.put("stackindent", 14L);
    values.put("dynvarsize", 64L << 20);
    values.put("aggsize", 128L << 20);
  }

  private static Map<String, Kind> kinds() {
    Map<Kind, List<String>> names =
        Map.of(
            Kind.FLAG,
            List.of(
                "quiet",
                "flowindent",
                "destructive",
                "temporal",
                "aggsortkey",
                "aggsortrev",
                "agghist",
                "aggpack",
                "aggzoom",
                "rawbytes",
                "defaultargs"),
            Kind.NUMBER,
            List.of(
                "nspec",
                "stackframes",
                "ustackframes",
                "stackindent",
                "aggsortkeypos",
                "aggsortpos",
                "cpu",
                "jstackframes"),
            Kind.SIZE,
            List.of("bufsize", "aggsize", "strsize", "specsize", "dynvarsize", "jstackstrsize"),
            Kind.RATE,
            List.of("switchrate", "aggrate", "statusrate", "cleanrate"),
            Kind.ENCODING,
            List.of("encoding"),
            Kind.WORD,
            List.of("bufpolicy", "bufresize", "sympath"));
    Map<String, Kind> kinds = new TreeMap<>();
    names.forEach((kind, all) -> all.forEach(name -> kinds.put(name, kind)));
    return kinds;
  }

  /** Returns true if a flag is set, or a number is not 0. */
  public boolean is(String name) {
    return get(name) != 0;
  }

  /** Returns a number; 0 if it is not set. */
  public long get(String name) {
    return values.getOrDefault(name, 0L);
  }

  /** Returns a number that an array can have as its size. */
  public int size(String name) {
    return Math.clamp(get(name), 0, 1 << 28);
  }

  /** Returns the look of bars. */
  public BarStyle bars() {
    long encoding = get("encoding");
    return new BarStyle(is("aggzoom"), encoding == UTF8, encoding != ASCII);
  }

  /** Returns the order in which values of aggregations are printed. */
  public EntryOrder order() {
    return new EntryOrder(
        is("aggsortkey"), Math.clamp(get("aggsortkeypos"), 0, 1000), is("aggsortrev"));
  }

  /**
   * Sets an option.
   *
   * @return the reason if it cannot be set
   */
  public Optional<String> set(String name, Optional<String> value) {
    Kind kind = KINDS.get(name);
    if (kind == null) {
      String near = SpellingSuggestion.of(name, KINDS.keySet());
      return Optional.of(
          "there is no option %s%s"
              .formatted(name, near.isEmpty() ? "" : ": did you mean %s?".formatted(near)));
    }
    String text = value.orElse("").toLowerCase(Locale.ROOT);
    try {
      long number =
          switch (kind) {
            case FLAG -> flag(text);
            case NUMBER -> Long.decode(text);
            case SIZE -> size(text, "kmgt");
            case RATE -> rate(text);
            case ENCODING -> encoding(text);
            case WORD -> 0;
          };
      long most = MOST.getOrDefault(name, kind == Kind.SIZE ? MOST_BYTES : Long.MAX_VALUE);
      if (number < 0 || number > most) {
        return Optional.of(
            "%s is no value of the option %s: from 0 to %d".formatted(text, name, most));
      }
      values.put(name, number);
      return Optional.empty();
    } catch (NumberFormatException | ArithmeticException e) {
      return Optional.of(
          "%s is no value of the option %s".formatted(value.orElse("nothing"), name));
    }
  }

  private static long flag(String text) {
    return switch (text) {
      case "", "1", "enable", "enabled", "yes", "on", "set", "true" -> 1;
      case "0", "disable", "disabled", "no", "off", "unset", "false" -> 0;
      default -> throw new NumberFormatException(text);
    };
  }

  private static long size(String text, String units) {
    int unit = text.isEmpty() ? -1 : units.indexOf(text.charAt(text.length() - 1));
    String digits = unit < 0 ? text : text.substring(0, text.length() - 1);
    return Math.multiplyExact(Long.parseLong(digits), 1L << 10 * (unit + 1));
  }

  private static long encoding(String text) {
    return switch (text) {
      case "ascii" -> ASCII;
      case "utf8" -> UTF8;
      default -> throw new NumberFormatException(text);
    };
  }

  private static long rate(String text) {
    return Rate.nanos(text).orElseThrow(() -> new NumberFormatException(text));
  }
}
