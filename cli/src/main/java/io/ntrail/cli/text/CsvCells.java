package io.ntrail.cli.text;

import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes values as cells of a line. */
public final class CsvCells implements CellWriter {
  private final Csv csv;

  /** Writes to lines of CSV. */
  public CsvCells(Csv csv) {
    this.csv = csv;
  }

  /** Returns true if it writes there. */
  public boolean isOf(Csv other) {
    return csv == other;
  }

  @Override
  public void text(@Nullable String value) {
    csv.cell(Csv.orEmpty(value));
  }

  @Override
  public void count(long value) {
    csv.cell(value);
  }

  @Override
  public void unsigned(long value) {
    csv.number(Long.toUnsignedString(value));
  }

  @Override
  public void hex(long value) {
    csv.cell(Numbers.hex(value));
  }

  @Override
  public void hexCount(long value) {
    csv.cell(value);
  }

  @Override
  public void real(double value) {
    csv.number(Double.toString(value));
  }

  @Override
  public void flag(boolean value) {
    csv.cell(Boolean.toString(value));
  }

  @Override
  public <T> void shaped(T of, Function<T, String> text, BiConsumer<T, Json> shape) {
    csv.cell(text.apply(of));
  }

  @Override
  public void absent() {
    csv.cell("");
  }
}
