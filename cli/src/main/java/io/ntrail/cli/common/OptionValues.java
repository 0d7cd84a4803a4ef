package io.ntrail.cli.common;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ParseResult;

/**
 * Values of an option that is an enum: {@code --by function}. The words are the names of the
 * constants in lower case.
 *
 * @param option as it is typed
 * @param values those that it takes, in the order in which messages list them
 * @param anyCase whether words are case-insensitive
 * @param example the value that a message proposes
 */
public record OptionValues<E extends Enum<E>>(
    String option, List<E> values, boolean anyCase, String example) {
  /** Returns the values of an option, which are typed exactly so. */
  public static <E extends Enum<E>> OptionValues<E> of(String option, List<E> values) {
    return new OptionValues<>(option, values, false, word(values.getFirst()));
  }

  /** Returns the same values, whose words are case-insensitive. */
  public OptionValues<E> ignoringCase() {
    return new OptionValues<>(option, values, true, example);
  }

  /** Returns the same values with another proposal for messages. */
  public OptionValues<E> example(String word) {
    return new OptionValues<>(option, values, anyCase, word);
  }

  /** Returns the word of a value: {@code json}. */
  public static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the words of all values. */
  public List<String> words() {
    return values.stream().map(OptionValues::word).toList();
  }

  /**
   * Returns the value of the option.
   *
   * @param otherwise if the option was not given
   * @throws UsageError if the option has another value
   */
  public E value(ParseResult parsed, E otherwise) {
    return CommonOptions.has(parsed, option)
        ? value(CommonOptions.text(parsed, option, word(otherwise)))
        : otherwise;
  }

  /**
   * Returns the value of a word.
   *
   * @throws UsageError if there is none
   */
  public E value(String word) {
    return values.stream()
        .filter(value -> anyCase ? word(value).equalsIgnoreCase(word) : word(value).equals(word))
        .findFirst()
        .orElseThrow(() ->
            new UsageError(
                option + " takes " + listed() + ", not " + word, option + " " + example));
  }

  /** Returns {@code text, json or csv}. */
  private String listed() {
    List<String> words = words();
    String last = words.getLast();
    return words.size() == 1
        ? last
        : String.join(", ", words.subList(0, words.size() - 1)) + " or " + last;
  }
}
