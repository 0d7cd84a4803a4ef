package io.ntrail.cli.text;

import io.ntrail.formats.bytes.Bytes;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Receives the one value of a row in a column, and writes it in the form that was requested. */
public interface CellWriter {
  /** Writes a text; null is unknown. */
  void text(@Nullable String value);

  /** Writes a text that many rows share, such as a name; null is unknown. */
  default void name(@Nullable String value) {
    text(value);
  }

  /** Writes a count. */
  void count(long value);

  /** Writes a 64-bit number without a sign. */
  void unsigned(long value);

  /** Writes a number that is hexadecimal in every form: an address, or flags. */
  void hex(long value);

  /** Writes bytes in lower-case hexadecimal. */
  default void bytes(Bytes bytes, int at, int length) {
    text(Numbers.hex(bytes, at, length));
  }

  /** Writes a count that people read in hexadecimal, as debuggers print it. */
  void hexCount(long value);

  /** Writes a number with a fraction. */
  void real(double value);

  /** Writes yes or no. */
  void flag(boolean value);

  /** Writes a value that has a form of its own in JSON, and is a text elsewhere. */
  default void shaped(Supplier<String> text, Consumer<Json> json) {
    shaped(this, _ -> text.get(), (_, to) -> json.accept(to));
  }

  /**
   * Writes a value that has a form of its own in JSON, and is a text elsewhere; for columns of so
   * many rows that functions are not made for each.
   *
   * @param of what both are made of
   */
  <T> void shaped(T of, Function<T, String> text, BiConsumer<T, Json> json);

  /** Writes a value that is not known or does not apply. */
  default void unknown() {
    text(null);
  }

  /** Leaves the member out of JSON; elsewhere the cell is empty. */
  void absent();
}
